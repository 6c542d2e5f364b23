import type { Operations } from './operations.ts';
export type ApiOptions = {
    url: string;
    token: string;
    timeoutMs: number;
    fetchTimeoutMs: number;
};
type Query = Readonly<Record<string, string | number | boolean | undefined>>;
export type Asked = {
    /** Values for the placeholders in the path. */
    path?: Readonly<Record<string, string>>;
    query?: Query | undefined;
    body?: unknown;
    signal?: AbortSignal | undefined;
};
/** Patchbay's API for one token, and for one team and user if the token is the operator's. */
export type Api = {
    call<Name extends keyof Operations>(name: Name, asked?: Asked): Promise<Operations[Name]['response']>;
    /** Requests a provider's response that Patchbay has kept. */
    open(name: keyof Operations, asked: Asked): Promise<Response>;
    /** Sends a request through the proxy. `path` begins with a slash, and may have a query. */
    pass(provider: string, path: string, init: RequestInit): Promise<Response>;
    /** Returns an API with the same token and other headers. */
    acting(as: Readonly<Record<string, string>>): Api;
};
export declare const createApi: (options: ApiOptions, as?: Readonly<Record<string, string>>) => Api;
export {};
