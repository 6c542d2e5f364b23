import { PatchbayError } from './patchbay-error.js';
import { createProviderFetch } from './provider-fetch.js';
const createIntegrations = ({ call }) => ({
    status: (options = {}) => call('GET /api/integrations/status', options),
    /** Lists the providers that a search for `q` finds, the best first, or all of them. */
    providers: ({ q, signal } = {}) => call('GET /api/integrations/providers', { query: { q }, signal }),
    /** Begins to connect an account. Send the user's browser to `connectUrl`. */
    connect: (provider, { signal, ...body } = {}) => call('POST /api/integrations/{provider}/connect', { path: { provider }, body, signal }),
    /**
     * Connects a provider whose `kind` isn't `oauth2`, with a key. Patchbay checks the key with the provider first, and
     * throws `integrations.key_refused` if the provider rejects it.
     */
    putKey: (provider, { signal, ...body }) => call('PUT /api/integrations/{provider}/key', { path: { provider }, body, signal }),
    /**
     * Lists the sites that a consent covers, if the entry's `sites` isn't null. Patchbay asks the provider for them now.
     */
    sites: (provider, { signal, ...query } = {}) => call('GET /api/integrations/{provider}/sites', { path: { provider }, query, signal }),
    /** Chooses a site by its ID. Throws `integrations.site_unknown` if it isn't listed. */
    chooseSite: (provider, site, { signal, ...choice } = {}) => call('PUT /api/integrations/{provider}/site', { path: { provider }, body: { site, ...choice }, signal }),
    disconnect: (provider, { signal, ...body } = {}) => call('POST /api/integrations/{provider}/disconnect', { path: { provider }, body, signal }),
    /** Returns an access token that works now. Consider `fetch` instead, which doesn't need one. */
    token: (provider, { signal, ...body } = {}) => call('POST /api/integrations/{provider}/token', { path: { provider }, body, signal }),
});
const createCalls = ({ call }) => ({
    /** Lists calls, newest first. The next page is requested when you get there. */
    async *list(query = {}, options = {}) {
        let cursor;
        do {
            const page = await call('GET /api/calls', { ...options, query: { ...query, cursor } });
            yield* page.calls;
            cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
    },
});
const createRequests = ({ call }) => ({
    /**
     * Lists every request that used a connection's credential, and every access token that was handed out, newest first.
     * The next page is requested when you get there.
     */
    async *list({ failed, ...query } = {}, options = {}) {
        let cursor;
        do {
            const asked = { ...query, cursor, ...(failed ? { failed: '1' } : {}) };
            const page = await call('GET /api/integrations/requests', { ...options, query: asked });
            yield* page.requests;
            cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
    },
});
/** Everything that a token can do in its team. */
export class Team {
    integrations;
    calls;
    requests;
    #fetches;
    #call;
    constructor(api) {
        this.#call = api.call;
        this.integrations = createIntegrations(api);
        this.calls = createCalls(api);
        this.requests = createRequests(api);
        this.#fetches = createProviderFetch(api);
    }
    /**
     * Calls a provider's API through the proxy, with the connection's credential. The path is appended to the address in
     * the provider's entry. Returns the provider's response as it is, whatever its status. Throws if Patchbay itself
     * refuses the request.
     */
    fetch(provider, path, init = {}) {
        return this.#fetches.fetch(provider, path, init);
    }
    /**
     * Returns a `fetch` for a vendor's library. It takes paths, and URLs of the provider's API. It refuses other URLs,
     * and never sends anything anywhere but to Patchbay. If Patchbay itself refuses a request, that's a response like any
     * other, with the header `Patchbay-From: patchbay`.
     */
    fetchOf(provider, choice = {}) {
        return this.#fetches.fetchOf(provider, choice);
    }
    /** Calls any endpoint of Patchbay's API by its method and path, such as `GET /api/calls/{id}`. */
    request(name, ...[options]) {
        const { params, ...asked } = { ...options };
        return this.#call(name, { path: params ?? {}, ...asked });
    }
}
const checkKey = (key) => {
    if (/^[!-~]{1,200}$/.test(key))
        return key;
    throw new PatchbayError('client.key_invalid', 'A key is 1 to 200 printable ASCII characters without spaces.');
};
/** A customer's team, as the operator sees it. */
export class CustomerTeam extends Team {
    key;
    #operator;
    constructor(operator, key, userKey) {
        const user = userKey === undefined ? {} : { 'patchbay-user': checkKey(userKey) };
        super(operator.acting({ 'patchbay-team': checkKey(key), ...user }));
        this.key = key;
        this.#operator = operator;
    }
    /** Returns the same team, acting for one of its users. */
    as(userKey) {
        return new CustomerTeam(this.#operator, this.key, userKey);
    }
    /** Creates the team, or changes it. */
    put({ signal, ...body }) {
        return this.#operator.call('PUT /api/operator/teams/{key}', { path: { key: this.key }, body, signal });
    }
    /** Creates a connect session, with which a user of this team connects accounts in their own browser. */
    createSession({ signal, ...body }) {
        return this.#operator.call('POST /api/operator/teams/{key}/sessions', { path: { key: this.key }, body, signal });
    }
    /**
     * Ends a user's connect sessions, and the connects that they have begun. Call this when the user signs out of your
     * product.
     */
    endSessions(userKey, options = {}) {
        const asked = { path: { key: this.key }, query: { user: userKey }, ...options };
        return this.#operator.call('DELETE /api/operator/teams/{key}/sessions', asked);
    }
    /** Erases the team and everything that belongs to it. */
    delete(options = {}) {
        return this.#operator.call('DELETE /api/operator/teams/{key}', { path: { key: this.key }, ...options });
    }
}
