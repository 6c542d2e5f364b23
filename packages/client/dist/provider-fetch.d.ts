import type { Api } from './api.ts';
type Choice = {
    connection?: string | undefined;
    host?: string | undefined;
};
/** Calls a provider's API through the proxy: one path at a time, or as a `fetch` for a vendor's library. */
export declare const createProviderFetch: ({ call, pass }: Api) => {
    fetch: (provider: string, path: string, { connection, host, ...init }: RequestInit & Choice) => Promise<Response>;
    fetchOf(provider: string, { connection, host }: Choice): typeof fetch;
};
export {};
