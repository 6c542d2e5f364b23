import type { Api } from './api.ts';
import type { Operations } from './operations.ts';
import type { CallOptions } from './team.ts';
export type Approval = Operations['GET /api/approvals/{id}']['response'];
export declare const createApprovals: ({ call, open }: Api) => {
    /**
     * Lists requests that have to be approved, or were, newest first: the team's, or those of a restricted token. The
     * next page is requested when you get there.
     */
    list: ({ state, ...options }?: {
        state?: 'waiting' | undefined;
    } & CallOptions) => AsyncGenerator<import("./operations.ts").Approval, void, undefined>;
    get: (id: string, options?: CallOptions) => Promise<import("./operations.ts").ApprovalDetails>;
    /**
     * Waits until an admin has decided and the outcome is known, or until the request has expired. The ID is in the
     * error with the code `tokens.approval_needed`, as `approval.id`.
     */
    wait(id: string, options?: CallOptions): Promise<Approval>;
    /** Returns the provider's response to a request that was sent. Patchbay keeps it for an hour. */
    response: (id: string, options?: CallOptions) => Promise<Response>;
    /** Approves a request, which is then sent once. For admins. */
    approve: (id: string, options?: CallOptions) => Promise<import("./operations.ts").ApprovalDetails>;
    /** Refuses a request, which is then never sent. For admins. */
    refuse: (id: string, options?: CallOptions) => Promise<import("./operations.ts").ApprovalDetails>;
};
