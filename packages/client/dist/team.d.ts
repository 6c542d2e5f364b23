import type { Api } from './api.ts';
import { createApprovals } from './approvals.ts';
import { createContainments } from './containments.ts';
import { createEvents } from './events.ts';
import type { Operations } from './operations.ts';
type Body<Name extends keyof Operations> = Operations[Name] extends {
    body?: infer Value;
} ? NonNullable<Value> : never;
type Answer<Name extends keyof Operations> = Promise<Operations[Name]['response']>;
export type CallOptions = {
    signal?: AbortSignal | undefined;
};
/** The name of the connection, if the team has several to a provider. */
export type ConnectionChoice = {
    connection?: string | undefined;
};
export type ProxiedInit = RequestInit & ConnectionChoice & {
    host?: string | undefined;
};
type ParamsIn<Name extends string> = Name extends `${string}{${infer Param}}${infer Rest}` ? Param | ParamsIn<Rest> : never;
/** The parts of a request besides its method and path: `params` for the placeholders, `query`, and `body`. */
export type RequestOptions<Name extends keyof Operations> = CallOptions & Pick<Operations[Name], keyof Operations[Name] & ('query' | 'body')> & ([ParamsIn<Name>] extends [never] ? unknown : {
    params: Readonly<Record<ParamsIn<Name>, string>>;
});
export type Integration = Operations['GET /api/integrations/status']['response']['integrations'][number];
export type Call = Operations['GET /api/calls']['response']['calls'][number];
type CallQuery = Omit<NonNullable<Operations['GET /api/calls']['query']>, 'cursor'>;
type RequestLog = Operations['GET /api/integrations/requests'];
export type UsedCredential = RequestLog['response']['requests'][number];
/** `failed: true` lists only what failed. */
type RequestQuery = Omit<NonNullable<RequestLog['query']>, 'cursor' | 'failed'> & {
    failed?: boolean | undefined;
};
declare const createIntegrations: ({ call }: Api) => {
    status: (options?: CallOptions) => Promise<{
        team: {
            id: string;
            name: string;
        };
        integrations: Array<import("./operations.ts").Integration>;
    }>;
    /** Lists the providers that a search for `q` finds, the best first, or all of them. */
    providers: ({ q, signal }?: {
        q?: string | undefined;
    } & CallOptions) => Promise<{
        providers: Array<import("./operations.ts").Provider>;
        nextCursor: string | null;
    }>;
    /** Begins to connect an account. Send the user's browser to `connectUrl`. */
    connect: (provider: string, { signal, ...body }?: Body<'POST /api/integrations/{provider}/connect'> & CallOptions) => Promise<import("./operations.ts").BegunConnect>;
    /**
     * Connects a provider whose `kind` isn't `oauth2`, with a key. Patchbay checks the key with the provider first, and
     * throws `integrations.key_refused` if the provider rejects it.
     */
    putKey: (provider: string, { signal, ...body }: Body<'PUT /api/integrations/{provider}/key'> & CallOptions) => Promise<import("./operations.ts").Integration>;
    /**
     * Lists the sites that a consent covers, if the entry's `sites` isn't null. Patchbay asks the provider for them now.
     */
    sites: (provider: string, { signal, ...query }?: ConnectionChoice & CallOptions) => Promise<import("./operations.ts").ConnectionSites>;
    /** Chooses a site by its ID. Throws `integrations.site_unknown` if it isn't listed. */
    chooseSite: (provider: string, site: string, { signal, ...choice }?: ConnectionChoice & CallOptions) => Promise<import("./operations.ts").Integration>;
    disconnect: (provider: string, { signal, ...body }?: ConnectionChoice & CallOptions) => Promise<import("./operations.ts").Disconnected>;
    /** Returns an access token that works now. Consider `fetch` instead, which doesn't need one. */
    token: (provider: string, { signal, ...body }?: ConnectionChoice & CallOptions) => Promise<import("./operations.ts").ProviderToken>;
};
declare const createCalls: ({ call }: Api) => {
    /** Lists calls, newest first. The next page is requested when you get there. */
    list: (query?: CallQuery, options?: CallOptions) => AsyncGenerator<import("./operations.ts").Call, void, undefined>;
};
declare const createRequests: ({ call }: Api) => {
    /**
     * Lists every request that used a connection's credential, and every access token that was handed out, newest first.
     * The next page is requested when you get there.
     */
    list: ({ failed, ...query }?: RequestQuery, options?: CallOptions) => AsyncGenerator<import("./operations.ts").UsedCredential, void, undefined>;
};
declare const createTokens: ({ call }: Api) => {
    /**
     * Lists access tokens, newest first: your own, or the team's if you're an admin, as the operator always is. The next
     * page is requested when you get there.
     */
    list: (options?: CallOptions) => AsyncGenerator<import("./operations.ts").AccessToken, void, undefined>;
    /**
     * Makes an access token. With `can` or `allow`, it's restricted to what they list. It's only in this response.
     */
    create: ({ signal, ...body }: Body<'POST /api/tokens'> & CallOptions) => Promise<import("./operations.ts").NewAccessToken>;
    /** Revokes a token by its ID. */
    revoke: (id: string, options?: CallOptions) => Promise<undefined>;
};
/** Everything that a token can do in its team. */
export declare class Team {
    #private;
    readonly integrations: ReturnType<typeof createIntegrations>;
    readonly calls: ReturnType<typeof createCalls>;
    readonly events: ReturnType<typeof createEvents>;
    readonly requests: ReturnType<typeof createRequests>;
    readonly tokens: ReturnType<typeof createTokens>;
    readonly approvals: ReturnType<typeof createApprovals>;
    readonly containments: ReturnType<typeof createContainments<'/api/containments'>>;
    constructor(api: Api);
    /**
     * Calls a provider's API through the proxy, with the connection's credential. The path is appended to the address in
     * the provider's entry. Returns the provider's response as it is, whatever its status. Throws if Patchbay itself
     * refuses the request.
     */
    fetch(provider: string, path: string, init?: ProxiedInit): Promise<Response>;
    /**
     * Returns a `fetch` for a vendor's library. It takes paths, and URLs of the provider's API. It refuses other URLs,
     * and never sends anything anywhere but to Patchbay. If Patchbay itself refuses a request, that's a response like any
     * other, with the header `Patchbay-From: patchbay`.
     */
    fetchOf(provider: string, choice?: ConnectionChoice & {
        host?: string | undefined;
    }): typeof fetch;
    /** Calls any endpoint of Patchbay's API by its method and path, such as `GET /api/calls/{id}`. */
    request<Name extends keyof Operations>(name: Name, ...[options]: object extends RequestOptions<Name> ? [RequestOptions<Name>?] : [RequestOptions<Name>]): Answer<Name>;
}
/** A customer's team, as the operator sees it. */
export declare class CustomerTeam extends Team {
    #private;
    readonly key: string;
    constructor(operator: Api, key: string, userKey?: string);
    /** Returns the same team, acting for one of its users. */
    as(userKey: string): CustomerTeam;
    /** Creates the team, or changes it. */
    put({ signal, ...body }: Body<'PUT /api/operator/teams/{key}'> & CallOptions): Answer<'PUT /api/operator/teams/{key}'>;
    /** Creates a connect session, with which a user of this team connects accounts in their own browser. */
    createSession({ signal, ...body }: Body<'POST /api/operator/teams/{key}/sessions'> & CallOptions): Answer<'POST /api/operator/teams/{key}/sessions'>;
    /**
     * Ends a user's connect sessions, and the connects that they have begun. Call this when the user signs out of your
     * product.
     */
    endSessions(userKey: string, options?: CallOptions): Answer<'DELETE /api/operator/teams/{key}/sessions'>;
    /** Erases the team and everything that belongs to it. */
    delete(options?: CallOptions): Answer<'DELETE /api/operator/teams/{key}'>;
}
export {};
