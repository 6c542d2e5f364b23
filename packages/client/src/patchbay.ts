import { type Api, createApi } from './api.ts';
import { createContainments } from './containments.ts';
import { PatchbayError } from './patchbay-error.ts';
import { CustomerTeam, Team } from './team.ts';

export type PatchbayOptions = {
  /**
   * Patchbay's address, such as `https://patchbay.example.com`. Required. It may be undefined only so that you can pass
   * an environment variable: if that isn't set, the constructor throws.
   */
  url: string | undefined;
  /** An access token, or the operator token. Required, too. */
  token: string | undefined;
  /** The time limit of each attempt. Default: 30 seconds. */
  timeoutMs?: number | undefined;
  /**
   * The time limit until a response through the proxy begins. Default: two minutes, because Patchbay waits for the
   * provider for one.
   */
  fetchTimeoutMs?: number | undefined;
};

const MISSING = "is missing. If it comes from an environment variable, that isn't set.";

/** Patchbay's API, as the user or operator that the token belongs to. */
export class Patchbay extends Team {
  readonly #api: Api;
  /** Stops what may have leaked in all teams. Needs the operator token. */
  readonly operatorContainments: ReturnType<typeof createContainments<'/api/operator/containments'>>;

  constructor({ url, token, timeoutMs = 30_000, fetchTimeoutMs = 120_000 }: PatchbayOptions) {
    if (!url) throw new PatchbayError('client.url_invalid', `\`url\` ${MISSING}`);
    if (!token) throw new PatchbayError('client.token_missing', `\`token\` ${MISSING}`);
    if (!/^[!-~]+$/.test(token))
      throw new PatchbayError(
        'client.token_missing',
        '`token` has spaces, line breaks, or other characters that no token has.',
      );
    const api = createApi({ url, token, timeoutMs, fetchTimeoutMs });
    super(api);
    this.#api = api;
    this.operatorContainments = createContainments(api, '/api/operator/containments');
  }

  /** Returns a customer's team, by your own key for it. Needs the operator token. */
  team(key: string): CustomerTeam {
    return new CustomerTeam(this.#api, key);
  }
}
