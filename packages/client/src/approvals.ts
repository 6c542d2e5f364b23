import type { Api } from './api.ts';
import type { Operations } from './operations.ts';
import { readPages } from './read-pages.ts';
import { sleep } from './send.ts';
import type { CallOptions } from './team.ts';

export type Approval = Operations['GET /api/approvals/{id}']['response'];

const LOOK_EVERY_MS = 2_000;

/** Whether an approval is still open: nobody has decided, or the request is being sent. */
const isOpen = ({ state }: Approval): boolean => state === 'waiting' || state === 'sending';

export const createApprovals = ({ call, open }: Api) => {
  const get = (id: string, options: CallOptions = {}) => call('GET /api/approvals/{id}', { ...options, path: { id } });

  return {
    /**
     * Lists requests that have to be approved, or were, newest first: the team's, or those of a restricted token. The
     * next page is requested when you get there.
     */
    list: ({ state, ...options }: { state?: 'waiting' | undefined } & CallOptions = {}) =>
      readPages(
        (cursor) => call('GET /api/approvals', { ...options, query: { state, cursor } }),
        (page) => page.approvals,
      ),
    get,
    /**
     * Waits until an admin has decided and the outcome is known, or until the request has expired. The ID is in the
     * error with the code `tokens.approval_needed`, as `approval.id`.
     */
    async wait(id: string, options: CallOptions = {}): Promise<Approval> {
      for (;;) {
        const approval = await get(id, options);
        if (!isOpen(approval)) return approval;
        await sleep(LOOK_EVERY_MS, options.signal);
      }
    },
    /** Returns the provider's response to a request that was sent. Patchbay keeps it for an hour. */
    response: (id: string, options: CallOptions = {}): Promise<Response> =>
      open('GET /api/approvals/{id}/response', { ...options, path: { id } }),
    /** Approves a request, which is then sent once. For admins. */
    approve: (id: string, options: CallOptions = {}) =>
      call('POST /api/approvals/{id}/approve', { ...options, path: { id } }),
    /** Refuses a request, which is then never sent. For admins. */
    refuse: (id: string, options: CallOptions = {}) =>
      call('POST /api/approvals/{id}/refuse', { ...options, path: { id } }),
  };
};
