import { createContainments } from './containments.ts';
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
/** Patchbay's API, as the user or operator that the token belongs to. */
export declare class Patchbay extends Team {
    #private;
    /** Stops what may have leaked in all teams. Needs the operator token. */
    readonly operatorContainments: ReturnType<typeof createContainments<'/api/operator/containments'>>;
    constructor({ url, token, timeoutMs, fetchTimeoutMs }: PatchbayOptions);
    /** Returns a customer's team, by your own key for it. Needs the operator token. */
    team(key: string): CustomerTeam;
}
