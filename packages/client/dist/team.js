import { createApprovals } from './approvals.js';
import { createContainments } from './containments.js';
import { createEvents } from './events.js';
import { PatchbayError } from './patchbay-error.js';
import { createProviderFetch } from './provider-fetch.js';
import { readPages } from './read-pages.js';
const createIntegrations = ({ call }) => ({
    status: (options = {}) => call('GET /api/integrations/status', options),
    providers: ({ q, signal } = {}) => call('GET /api/integrations/providers', { query: { q }, signal }),
    connect: (provider, { signal, ...body } = {}) => call('POST /api/integrations/{provider}/connect', { path: { provider }, body, signal }),
    putKey: (provider, { signal, ...body }) => call('PUT /api/integrations/{provider}/key', { path: { provider }, body, signal }),
    sites: (provider, { signal, ...query } = {}) => call('GET /api/integrations/{provider}/sites', { path: { provider }, query, signal }),
    chooseSite: (provider, site, { signal, ...choice } = {}) => call('PUT /api/integrations/{provider}/site', { path: { provider }, body: { site, ...choice }, signal }),
    disconnect: (provider, { signal, ...body } = {}) => call('POST /api/integrations/{provider}/disconnect', { path: { provider }, body, signal }),
    token: (provider, { signal, ...body } = {}) => call('POST /api/integrations/{provider}/token', { path: { provider }, body, signal }),
});
const createCalls = ({ call }) => ({
    list: (query = {}, options = {}) => readPages((cursor) => call('GET /api/calls', { ...options, query: { ...query, cursor } }), (page) => page.calls),
});
const createRequests = ({ call }) => ({
    list: ({ failed, ...query } = {}, options = {}) => readPages((cursor) => call('GET /api/integrations/requests', {
        ...options,
        query: { ...query, cursor, failed: failed ? '1' : undefined },
    }), (page) => page.requests),
});
const createTokens = ({ call }) => ({
    list: (options = {}) => readPages((cursor) => call('GET /api/tokens', { ...options, query: { cursor } }), (page) => page.tokens),
    create: ({ signal, ...body }) => call('POST /api/tokens', { body, signal }),
    revoke: (id, options = {}) => call('DELETE /api/tokens/{id}', { ...options, path: { id } }),
});
export class Team {
    integrations;
    calls;
    events;
    requests;
    tokens;
    approvals;
    containments;
    #fetches;
    #call;
    constructor(api) {
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
    fetch(provider, path, init = {}) {
        return this.#fetches.fetch(provider, path, init);
    }
    fetchOf(provider, choice = {}) {
        return this.#fetches.fetchOf(provider, choice);
    }
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
export class CustomerTeam extends Team {
    key;
    #operator;
    constructor(operator, key, userKey) {
        const user = userKey === undefined ? {} : { 'patchbay-user': checkKey(userKey) };
        super(operator.acting({ 'patchbay-team': checkKey(key), ...user }));
        this.key = key;
        this.#operator = operator;
    }
    as(userKey) {
        return new CustomerTeam(this.#operator, this.key, userKey);
    }
    put({ signal, ...body }) {
        return this.#operator.call('PUT /api/operator/teams/{key}', { path: { key: this.key }, body, signal });
    }
    createSession({ signal, ...body }) {
        return this.#operator.call('POST /api/operator/teams/{key}/sessions', { path: { key: this.key }, body, signal });
    }
    endSessions(userKey, options = {}) {
        const asked = { path: { key: this.key }, query: { user: userKey }, ...options };
        return this.#operator.call('DELETE /api/operator/teams/{key}/sessions', asked);
    }
    delete(options = {}) {
        return this.#operator.call('DELETE /api/operator/teams/{key}', { path: { key: this.key }, ...options });
    }
}
