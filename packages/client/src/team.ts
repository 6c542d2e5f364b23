import type { Api, Asked } from './api.ts';
import type { Operations } from './operations.ts';
import { PatchbayError } from './patchbay-error.ts';
import { createProviderFetch } from './provider-fetch.ts';

type Body<Name extends keyof Operations> = Operations[Name] extends { body?: infer Value } ? NonNullable<Value> : never;
type Answer<Name extends keyof Operations> = Promise<Operations[Name]['response']>;

export type CallOptions = { signal?: AbortSignal | undefined };
/** Which one, if the team has several connections to a provider. */
export type ConnectionChoice = { connection?: string | undefined };
export type ProxiedInit = RequestInit & ConnectionChoice & { host?: string | undefined };

type ParamsIn<Name extends string> = Name extends `${string}{${infer Param}}${infer Rest}`
  ? Param | ParamsIn<Rest>
  : never;

/** What a request has besides its method and path: `params` for the placeholders, `query`, and `body`. */
export type RequestOptions<Name extends keyof Operations> = CallOptions &
  Pick<Operations[Name], keyof Operations[Name] & ('query' | 'body')> &
  ([ParamsIn<Name>] extends [never] ? unknown : { params: Readonly<Record<ParamsIn<Name>, string>> });

export type Integration = Operations['GET /api/integrations/status']['response']['integrations'][number];
export type Call = Operations['GET /api/calls']['response']['calls'][number];
type CallQuery = Omit<NonNullable<Operations['GET /api/calls']['query']>, 'cursor'>;

const createIntegrations = ({ call }: Api) => ({
  status: (options: CallOptions = {}) => call('GET /api/integrations/status', options),
  /** Those that a search for `q` finds, the best first, or all. */
  providers: ({ q, signal }: { q?: string | undefined } & CallOptions = {}) =>
    call('GET /api/integrations/providers', { query: { q }, signal }),
  /** Send the user's browser to `connectUrl`. */
  connect: (
    provider: string,
    { signal, ...body }: Body<'POST /api/integrations/{provider}/connect'> & CallOptions = {},
  ) => call('POST /api/integrations/{provider}/connect', { path: { provider }, body, signal }),
  /** For providers whose `kind` isn't `oauth2`. The provider is asked first. Rejected: `integrations.key_refused`. */
  putKey: (provider: string, { signal, ...body }: Body<'PUT /api/integrations/{provider}/key'> & CallOptions) =>
    call('PUT /api/integrations/{provider}/key', { path: { provider }, body, signal }),
  /** What a consent covers, if the entry's `sites` isn't null. The provider is asked now. */
  sites: (provider: string, { signal, ...query }: ConnectionChoice & CallOptions = {}) =>
    call('GET /api/integrations/{provider}/sites', { path: { provider }, query, signal }),
  /** Chooses one of them, by its ID. Not listed: `integrations.site_unknown`. */
  chooseSite: (provider: string, site: string, { signal, ...choice }: ConnectionChoice & CallOptions = {}) =>
    call('PUT /api/integrations/{provider}/site', { path: { provider }, body: { site, ...choice }, signal }),
  disconnect: (provider: string, { signal, ...body }: ConnectionChoice & CallOptions = {}) =>
    call('POST /api/integrations/{provider}/disconnect', { path: { provider }, body, signal }),
  /** An access token that works now. Consider `fetch` instead, which doesn't need one. */
  token: (provider: string, { signal, ...body }: ConnectionChoice & CallOptions = {}) =>
    call('POST /api/integrations/{provider}/token', { path: { provider }, body, signal }),
});

const createCalls = ({ call }: Api) => ({
  /** Newest first. The next page is requested when you get there. */
  async *list(query: CallQuery = {}, options: CallOptions = {}): AsyncGenerator<Call, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await call('GET /api/calls', { ...options, query: { ...query, cursor } });
      yield* page.calls;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  },
});

/** What a token can do in its team. */
export class Team {
  readonly integrations: ReturnType<typeof createIntegrations>;
  readonly calls: ReturnType<typeof createCalls>;
  readonly #fetches: ReturnType<typeof createProviderFetch>;
  readonly #call: Api['call'];

  constructor(api: Api) {
    this.#call = api.call;
    this.integrations = createIntegrations(api);
    this.calls = createCalls(api);
    this.#fetches = createProviderFetch(api);
  }

  /**
   * Calls a provider's API through the proxy, with the connection's credential. The path is appended to the address in
   * the provider's entry. The provider's response is returned as it is, whatever its status. If Patchbay itself refuses,
   * this throws.
   */
  fetch(provider: string, path: string, init: ProxiedInit = {}): Promise<Response> {
    return this.#fetches.fetch(provider, path, init);
  }

  /**
   * A `fetch` for a vendor's library. It takes paths, and URLs of the provider's API. Other URLs are refused, and nothing
   * is ever sent anywhere but to Patchbay. What Patchbay itself refuses is a response like any other, with the header
   * `Patchbay-From: patchbay`.
   */
  fetchOf(provider: string, choice: ConnectionChoice & { host?: string | undefined } = {}): typeof fetch {
    return this.#fetches.fetchOf(provider, choice);
  }

  /** Everything else in Patchbay's API, by its method and path, such as `GET /api/calls/{id}`. */
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

  /** The same team, acting for one of its users. */
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

  /** Lets a user of this team connect accounts in their own browser. */
  createSession({
    signal,
    ...body
  }: Body<'POST /api/operator/teams/{key}/sessions'> & CallOptions): Answer<'POST /api/operator/teams/{key}/sessions'> {
    return this.#operator.call('POST /api/operator/teams/{key}/sessions', { path: { key: this.key }, body, signal });
  }

  /** Ends a user's connect sessions, and what they have begun to connect. For when they sign out of your product. */
  endSessions(userKey: string, options: CallOptions = {}): Answer<'DELETE /api/operator/teams/{key}/sessions'> {
    const asked = { path: { key: this.key }, query: { user: userKey }, ...options };
    return this.#operator.call('DELETE /api/operator/teams/{key}/sessions', asked);
  }

  /** Erases the team and everything that belongs to it. */
  delete(options: CallOptions = {}): Answer<'DELETE /api/operator/teams/{key}'> {
    return this.#operator.call('DELETE /api/operator/teams/{key}', { path: { key: this.key }, ...options });
  }
}
