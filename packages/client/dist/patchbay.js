import { createApi } from './api.js';
import { createContainments } from './containments.js';
import { PatchbayError } from './patchbay-error.js';
import { CustomerTeam, Team } from './team.js';
const MISSING = "is missing. If it comes from an environment variable, that isn't set.";
export class Patchbay extends Team {
    #api;
    operatorContainments;
    constructor({ url, token, timeoutMs = 30_000, fetchTimeoutMs = 120_000 }) {
        if (!url)
            throw new PatchbayError('client.url_invalid', `\`url\` ${MISSING}`);
        if (!token)
            throw new PatchbayError('client.token_missing', `\`token\` ${MISSING}`);
        if (!/^[!-~]+$/.test(token))
            throw new PatchbayError('client.token_missing', '`token` has spaces, line breaks, or other characters that no token has.');
        const api = createApi({ url, token, timeoutMs, fetchTimeoutMs });
        super(api);
        this.#api = api;
        this.operatorContainments = createContainments(api, '/api/operator/containments');
    }
    team(key) {
        return new CustomerTeam(this.#api, key);
    }
}
