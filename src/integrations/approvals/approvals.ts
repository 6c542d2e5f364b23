import { adminOnly, type Caller } from '../../http/index.ts';
import { type ListPage, type PageQuery, readPage } from '../../platform/index.ts';
import type { AuditActor } from '../../teams/index.ts';
import { listNamedUsers, unnamedUser } from '../connections/named-user.ts';
import { type Approval, RESPONSE_KEPT_MS, stateAt } from './approval.ts';
import { type KeptResponse, openContent, openResponse, openTarget } from './approval-content.ts';
import { getApproval, listApprovals } from './approval-store.ts';
import { type ApprovalDetails, type ApprovalView, viewApproval, viewContent } from './approval-view.ts';
import { getContent, getResponse } from './content-store.ts';
import type { ApprovalsContext } from './context.ts';
import { approveRequest, refuseRequest } from './decide.ts';
import {
  approvalCursorInvalid,
  approvalUnknown,
  noResponse,
  noResponseYet,
  responseErased,
  responseForToken,
} from './errors.ts';

export type ApprovalsQuery = PageQuery & { state?: 'waiting' | undefined };

/** The token whose approvals the caller may see, as long as its maker is an admin. Null for an admin, who may see all. */
const tokenOf = ({ restriction, tokenId = '', role }: Caller): string | null => {
  if (role !== 'admin' && !restriction?.byOperator) throw adminOnly();
  if (restriction) return tokenId;
  return null;
};

/** The use cases of approvals, for the API and the pages. */
export const createApprovals = (context: ApprovalsContext) => {
  const { database, vault, clock } = context;

  const view = async (teamId: string, rows: readonly Approval[]): Promise<ApprovalView[]> => {
    const deciders = rows.flatMap(({ decidedBy }) => (decidedBy === null ? [] : [decidedBy]));
    const users = await listNamedUsers(database, teamId, deciders);
    return Promise.all(
      rows.map(async (row) => {
        const { decidedBy: id } = row;
        const decider = id === null ? null : (users.get(id) ?? unnamedUser(id));
        return viewApproval(row, await openTarget(vault, row), decider, clock.now());
      }),
    );
  };

  /** Finds an approval that the caller may see. */
  const find = async (caller: Caller, id: string): Promise<Approval> => {
    const tokenId = tokenOf(caller);
    const approval = await getApproval(database, { teamId: caller.teamId, id });
    if (!approval || (tokenId !== null && approval.tokenId !== tokenId)) throw approvalUnknown();
    return approval;
  };

  const get = async (caller: Caller, id: string): Promise<ApprovalDetails> => {
    const approval = await find(caller, id);
    const [shown] = await view(caller.teamId, [approval]);
    if (!shown) throw approvalUnknown();
    if (caller.restriction) return shown;
    const sealed = await getContent(database, approval);
    const content = sealed === null ? null : await openContent(vault, approval, sealed);
    return { ...shown, to: approval.origin, ...viewContent(content) };
  };

  return {
    async list(caller: Caller, { state, ...page }: ApprovalsQuery): Promise<ListPage<ApprovalView>> {
      const { teamId } = caller;
      const filter = { teamId, tokenId: tokenOf(caller), waitingAt: state === undefined ? null : clock.now() };
      const { rows, nextCursor } = await readPage(page, {
        read: (before, limit) => listApprovals(database, filter, before, limit),
        keyOf: ({ id }: Approval) => id,
        refuseCursor: approvalCursorInvalid,
      });
      return { rows: await view(teamId, rows), nextCursor };
    },

    get,

    async approve(caller: Caller, actor: AuditActor, id: string): Promise<ApprovalDetails> {
      await approveRequest(context, { caller, actor }, id);
      return get(caller, id);
    },

    async refuse(caller: Caller, actor: AuditActor, id: string): Promise<ApprovalDetails> {
      await refuseRequest(context, { caller, actor }, id);
      return get(caller, id);
    },

    /** The provider's response. Only the token that asked gets it, and only for an hour. */
    async getResponse(caller: Caller, id: string): Promise<KeptResponse> {
      const approval = await find(caller, id);
      if (!caller.restriction) throw responseForToken();
      const state = stateAt(approval, clock.now());
      if (state === 'waiting' || state === 'sending') throw noResponseYet();
      if (state !== 'sent') throw noResponse({ state });
      const isKept = clock.now() < (approval.endedAt ?? 0) + RESPONSE_KEPT_MS;
      const response = isKept ? await getResponse(database, approval) : null;
      if (response === null) throw responseErased();
      return openResponse(vault, approval, response);
    },
  };
};

export type Approvals = ReturnType<typeof createApprovals>;
