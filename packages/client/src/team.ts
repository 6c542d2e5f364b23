import type { Api, Asked } from './api.ts';
import { createApprovals } from './approvals.ts';
import { createContainments } from './containments.ts';
import { createEvents } from './events.ts';
import type { Operations } from './operations.ts';
import { PatchbayError } from './patchbay-error.ts';
import { createProviderFetch } from './provider-fetch.ts';
import { readPages } from './read-pages.ts';

type Body<Name extends keyof Operations> = Operations[Name] extends { body?: infer Value } ? NonNullable<Value> : never;
type Answer<Name extends keyof Operations> = Promise<Operations[Name]['response']>;

export type CallOptions = { signal?: AbortSignal | undefined };
/** The name of the connection, if the team has several to a provider. */
export type ConnectionChoice = { connection?: string | undefined };
export type ProxiedInit = RequestInit & ConnectionChoice & { host?: string | undefined };

type ParamsIn<Name extends string> = Name extends `${string}{${infer Param}}${infer Rest}`
  ? Param | ParamsIn<Rest>
  : never;

/** The parts of a request besides its method and path: `params` for the placeholders, `query`, and `body`. */
export type RequestOptions<Name extends keyof Operations> = CallOptions &
  Pick<Operations[Name], keyof Operations[Name] & ('query' | 'body')> &
  ([ParamsIn<Name>] extends [never] ? unknown : { params: Readonly<Record<ParamsIn<Name>, string>> });

export type Integration = Operations['GET /api/integrations/status']['response']['integrations'][number];
export type Call = Operations['GET /api/calls']['response']['calls'][number];
type CallQuery = Omit<NonNullable<Operations['GET /api/calls']['query']>, 'cursor'>;
type RequestLog = Operations['GET /api/integrations/requests'];
export type UsedCredential = RequestLog['response']['requests'][number];
/** `failed: true` lists only what failed. */
type RequestQuery = Omit<NonNullable<RequestLog['query']>, 'cursor' | 'failed'> & { failed?: boolean | undefined };

const createIntegrations = ({ call }: Api) => ({
  status: (options: CallOptions = {}) => call('GET /api/integrations/status', options),
  /** Lists the providers that a search for `q` finds, the best first, or all of them. */
  providers: ({ q, signal }: { q?: string | undefined } & CallOptions = {}) =>
    call('GET /api/integrations/providers', { query: { q }, signal }),
  /** Begins to connect an account. Send the user's browser to `connectUrl`. */
  connect: (
    provider: string,
    { signal, ...body }: Body<'POST /api/integrations/{provider}/connect'> & CallOptions = {},
  ) => call('POST /api/integrations/{provider}/connect', { path: { provider }, body, signal }),
  /**
   * Connects a provider whose `kind` isn't `oauth2`, with a key. Patchbay checks the key with the provider first, and
   * throws `integrations.key_refused` if the provider rejects it.
   */
  putKey: (provider: string, { signal, ...body }: Body<'PUT /api/integrations/{provider}/key'> & CallOptions) =>
    call('PUT /api/integrations/{provider}/key', { path: { provider }, body, signal }),
  /**
   * Lists the sites that a consent covers, if the entry's `sites` isn't null. Patchbay asks the provider for them now.
   */
  sites: (provider: string, { signal, ...query }: ConnectionChoice & CallOptions = {}) =>
    call('GET /api/integrations/{provider}/sites', { path: { provider }, query, signal }),
  /** Chooses a site by its ID. Throws `integrations.site_unknown` if it isn't listed. */
  chooseSite: (provider: string, site: string, { signal, ...choice }: ConnectionChoice & CallOptions = {}) =>
    call('PUT /api/integrations/{provider}/site', { path: { provider }, body: { site, ...choice }, signal }),
  disconnect: (provider: string, { signal, ...body }: ConnectionChoice & CallOptions = {}) =>
    call('POST /api/integrations/{provider}/disconnect', { path: { provider }, body, signal }),
  /** Returns an access token that works now. Consider `fetch` instead, which doesn't need one. */
  token: (provider: string, { signal, ...body }: ConnectionChoice & CallOptions = {}) =>
    call('POST /api/integrations/{provider}/token', { path: { provider }, body, signal }),
});

const createCalls = ({ call }: Api) => ({
  /** Lists calls, newest first. The next page is requested when you get there. */
  list: (query: CallQuery = {}, options: CallOptions = {}) =>
    readPages(
      (cursor) => call('GET /api/calls', { ...options, query: { ...query, cursor } }),
      (page) => page.calls,
    ),
});

const createRequests = ({ call }: Api) => ({
  /**
   * Lists every request that used a connection's credential, and every access token that was handed out, newest first.
   * The next page is requested when you get there.
   */
  list: ({ failed, ...query }: RequestQuery = {}, options: CallOptions = {}) =>
    readPages(
      (cursor) =>
        call('GET /api/integrations/requests', {
          ...options,
          query: { ...query, cursor, failed: failed ? '1' : undefined },
        }),
      (page) => page.requests,
    ),
});

const createTokens = ({ call }: Api) => ({
  /**
   * Lists access tokens, newest first: your own, or the team's if you're an admin, as the operator always is. The next
   * page is requested when you get there.
   */
  list: (options: CallOptions = {}) =>
    readPages(
      (cursor) => call('GET /api/tokens', { ...options, query: { cursor } }),
      (page) => page.tokens,
    ),
  /**
   * Makes an access token. With `can` or `allow`, it's restricted to what they list. It's only in this response.
   */
  create: ({ signal, ...body }: Body<'POST /api/tokens'> & CallOptions) => call('POST /api/tokens', { body, signal }),
  /** Revokes a token by its ID. */
  revoke: (id: string, options: CallOptions = {}) => call('DELETE /api/tokens/{id}', { ...options, path: { id } }),
});

/** Everything that a token can do in its team. */
export class Team {
  readonly integrations: ReturnType<typeof createIntegrations>;
  readonly calls: ReturnType<typeof createCalls>;
  readonly events: ReturnType<typeof createEvents>;
  readonly requests: ReturnType<typeof createRequests>;
  readonly tokens: ReturnType<typeof createTokens>;
  readonly approvals: ReturnType<typeof createApprovals>;
  readonly containments: ReturnType<typeof createContainments<'/api/containments'>>;
  readonly #fetches: ReturnType<typeof createProviderFetch>;
  readonly #call: Api['call'];

  constructor(api: Api) {
    this.#call = api.call;
    this.integrations = createIntegrations(api);
    this.calls = createCalls(api);
    this.events = createEvents(api);
    this.requests = createRequests(api);
    this.tokens = createTokens(api);
    this.approvals = createApprovals(api);
    this.containments = createContainments(api, '/api/containments');
    this.#fetches = createProviderFetch(api);
  }

  /**
   * Calls a provider's API through the proxy, with the connection's credential. The path is appended to the address in
   * the provider's entry. Returns the provider's response as it is, whatever its status. Throws if Patchbay itself
   * refuses the request.
   */
  fetch(provider: string, path: string, init: ProxiedInit = {}): Promise<Response> {
    return this.#fetches.fetch(provider, path, init);
  }

  /**
   * Returns a `fetch` for a vendor's library. It takes paths, and URLs of the provider's API. It refuses other URLs,
   * and never sends anything anywhere but to Patchbay. If Patchbay itself refuses a request, that's a response like any
   * other, with the header `Patchbay-From: patchbay`.
   */
  fetchOf(provider: string, choice: ConnectionChoice & { host?: string | undefined } = {}): typeof fetch {
    return this.#fetches.fetchOf(provider, choice);
  }

  /** Calls any endpoint of Patchbay's API by its method and path, such as `GET /api/calls/{id}`. */
  request<Name extends keyof Operations>(
    name: Name,
    ...[options]: object extends RequestOptions<Name> ? [RequestOptions<Name>?] : [RequestOptions<Name>]
  ): Answer<Name> {
    const { params, ...asked } = { ...options } as Asked & { params?: Readonly<Record<string, string>> };
    return this.#call(name, { path: params ?? {}, ...asked });
  }
}

const checkKey = (key: string): string => {
  if (/^[!-~]{1,200}$/.test(key)) return key;
  throw new PatchbayError('client.key_invalid', 'A key is 1 to 200 printable ASCII characters without spaces.');
};

/** A customer's team, as the operator sees it. */
export class CustomerTeam extends Team {
  readonly key: string;
  readonly #operator: Api;

  constructor(operator: Api, key: string, userKey?: string) {
    const user = userKey === undefined ? {} : { 'patchbay-user': checkKey(userKey) };
    super(operator.acting({ 'patchbay-team': checkKey(key), ...user }));
    this.key = key;
    this.#operator = operator;
  }

  /** Returns the same team, acting for one of its users. */
  as(userKey: string): CustomerTeam {
    return new CustomerTeam(this.#operator, this.key, userKey);
  }

  /** Creates the team, or changes it. */
  put({
    signal,
    ...body
  }: Body<'PUT /api/operator/teams/{key}'> & CallOptions): Answer<'PUT /api/operator/teams/{key}'> {
    return this.#operator.call('PUT /api/operator/teams/{key}', { path: { key: this.key }, body, signal });
  }

  /** Creates a connect session, with which a user of this team connects accounts in their own browser. */
  createSession({
    signal,
    ...body
  }: Body<'POST /api/operator/teams/{key}/sessions'> & CallOptions): Answer<'POST /api/operator/teams/{key}/sessions'> {
    return this.#operator.call('POST /api/operator/teams/{key}/sessions', { path: { key: this.key }, body, signal });
  }

  /**
   * Ends a user's connect sessions, and the connects that they have begun. Call this when the user signs out of your
   * product.
   */
  endSessions(userKey: string, options: CallOptions = {}): Answer<'DELETE /api/operator/teams/{key}/sessions'> {
    const asked = { path: { key: this.key }, query: { user: userKey }, ...options };
    return this.#operator.call('DELETE /api/operator/teams/{key}/sessions', asked);
  }

  /** Erases the team and everything that belongs to it. */
  delete(options: CallOptions = {}): Answer<'DELETE /api/operator/teams/{key}'> {
    return this.#operator.call('DELETE /api/operator/teams/{key}', { path: { key: this.key }, ...options });
  }
}
