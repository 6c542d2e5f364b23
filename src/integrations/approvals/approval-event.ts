import type { NewEvent } from '../../events/index.ts';
import type { NamedUser } from '../connections/named-user.ts';
import { providerNameOf } from '../connections/status.ts';
import type { Approval } from './approval.ts';
import type { ApprovalTarget } from './approval-content.ts';
import { viewApproval } from './approval-view.ts';
import type { ApprovalsContext } from './context.ts';

/** Builds an event. `approval` has its values after the change. */
export const toApprovalEvent = (
  { catalogue, clock, url }: Pick<ApprovalsContext, 'catalogue' | 'clock' | 'url'>,
  type: 'approval.requested' | 'approval.decided',
  approval: Approval,
  { target, decider }: { target: ApprovalTarget; decider: NamedUser | null },
): NewEvent => {
  const { teamId, id: subject, provider } = approval;
  const { query: _, ...view } = viewApproval(approval, target, decider, clock.now());
  const data = { ...view, name: providerNameOf(catalogue, provider), url: `${url}/api/approvals/${subject}` };
  return { teamId, type, subject, data };
};
