import { PatchbayError } from './patchbay-error.js';
import { createProviderFetch } from './provider-fetch.js';
const createIntegrations = ({ call }) => ({
    status: (options = {}) => call('GET /api/integrations/status', options),
    /** Those that a search for `q` finds, the best first, or all. */
    providers: ({ q, signal } = {}) => call('GET /api/integrations/providers', { query: { q }, signal }),
    /** Send the user's browser to `connectUrl`. */
    connect: (provider, { signal, ...body } = {}) => call('POST /api/integrations/{provider}/connect', { path: { provider }, body, signal }),
    /** For providers whose `kind` isn't `oauth2`. The provider is asked first. Rejected: `integrations.key_refused`. */
    putKey: (provider, { signal, ...body }) => call('PUT /api/integrations/{provider}/key', { path: { provider }, body, signal }),
    /** What a consent covers, if the entry's `sites` isn't null. The provider is asked now. */
    sites: (provider, { signal, ...query } = {}) => call('GET /api/integrations/{provider}/sites', { path: { provider }, query, signal }),
    /** Chooses one of them, by its ID. Not listed: `integrations.site_unknown`. */
    chooseSite: (provider, site, { signal, ...choice } = {}) => call('PUT /api/integrations/{provider}/site', { path: { provider }, body: { site, ...choice }, signal }),
    disconnect: (provider, { signal, ...body } = {}) => call('POST /api/integrations/{provider}/disconnect', { path: { provider }, body, signal }),
    /** An access token that works now. Consider `fetch` instead, which doesn't need one. */
    token: (provider, { signal, ...body } = {}) => call('POST /api/integrations/{provider}/token', { path: { provider }, body, signal }),
});
const createCalls = ({ call }) => ({
    /** Newest first. The next page is requested when you get there. */
    async *list(query = {}, options = {}) {
        let cursor;
        do {
            const page = await call('GET /api/calls', { ...options, query: { ...query, cursor } });
            yield* page.calls;
            cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
    },
});
/** What a token can do in its team. */
export class Team {
    integrations;
    calls;
    #fetches;
    #call;
    constructor(api) {
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
    fetch(provider, path, init = {}) {
        return this.#fetches.fetch(provider, path, init);
    }
    /**
     * A `fetch` for a vendor's library. It takes paths, and URLs of the provider's API. Other URLs are refused, and nothing
     * is ever sent anywhere but to Patchbay. What Patchbay itself refuses is a response like any other, with the header
     * `Patchbay-From: patchbay`.
     */
    fetchOf(provider, choice = {}) {
        return this.#fetches.fetchOf(provider, choice);
    }
    /** Everything else in Patchbay's API, by its method and path, such as `GET /api/calls/{id}`. */
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
    /** The same team, acting for one of its users. */
    as(userKey) {
        return new CustomerTeam(this.#operator, this.key, userKey);
    }
    /** Creates the team, or changes it. */
    put({ signal, ...body }) {
        return this.#operator.call('PUT /api/operator/teams/{key}', { path: { key: this.key }, body, signal });
    }
    /** Lets a user of this team connect accounts in their own browser. */
    createSession({ signal, ...body }) {
        return this.#operator.call('POST /api/operator/teams/{key}/sessions', { path: { key: this.key }, body, signal });
    }
    /** Ends a user's connect sessions, and what they have begun to connect. For when they sign out of your product. */
    endSessions(userKey, options = {}) {
        const asked = { path: { key: this.key }, query: { user: userKey }, ...options };
        return this.#operator.call('DELETE /api/operator/teams/{key}/sessions', asked);
    }
    /** Erases the team and everything that belongs to it. */
    delete(options = {}) {
        return this.#operator.call('DELETE /api/operator/teams/{key}', { path: { key: this.key }, ...options });
    }
}
