import { CustomerTeam, Team } from './team.ts';
export type PatchbayOptions = {
    /** Patchbay's address, such as `https://patchbay.example.com`. Required: an environment variable that isn't set is refused. */
    url: string | undefined;
    /** An access token, or the operator's. Required, too. */
    token: string | undefined;
    /** For each attempt. Default: 30 seconds. */
    timeoutMs?: number | undefined;
    /** Until a response through the proxy begins. Default: two minutes, because Patchbay waits for the provider for one. */
    fetchTimeoutMs?: number | undefined;
};
/** Patchbay, as whoever the token belongs to. */
export declare class Patchbay extends Team {
    #private;
    constructor({ url, token, timeoutMs, fetchTimeoutMs }: PatchbayOptions);
    /** A customer's team, by your own key for it. Needs the operator's token. */
    team(key: string): CustomerTeam;
}
