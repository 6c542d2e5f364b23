import type { Customer } from '../../http/index.ts';
import type { TeamsContext } from '../context.ts';
import { customerGone, customerUnknown, customerUserRemoved } from '../errors.ts';
import { ensureCustomerUser } from './customer-user.ts';
import { findCustomerTeam } from './find-customer-team.ts';

/** Lets the operator act as an admin of a customer's team, either for one of the customer's users or without a user. */
export const createAdmitOperator =
  (context: TeamsContext) =>
  async ({ team: teamKey, user: userKey }: Customer) => {
    const found = await findCustomerTeam(context, context.database, teamKey);
    if (!found) throw customerUnknown();
    if (found.erasing) throw customerGone();
    const { id: teamId } = found;
    const user = await ensureCustomerUser(context, teamId, { key: userKey });
    if (user.removed) throw customerUserRemoved();
    return { userId: user.id, teamId, role: 'admin' as const };
  };
