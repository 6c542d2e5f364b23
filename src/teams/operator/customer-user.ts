import { customerKeyInvalid } from '../errors.ts';
import type { TeamsContext } from '../records/context.ts';
import { isCustomerKey } from '../records/customer-key.ts';
import {
  findOutsideUser,
  insertUser,
  OPERATOR_ISSUER,
  OPERATOR_ITSELF,
  type OutsideUser,
  updateUser,
} from '../records/user-store.ts';

/** Without a key, the operator itself. The address is only a label: nobody signs in with it. */
type CustomerUser = { key: string | null; name?: string | undefined; email?: string | undefined };

const asOutside = (key: string | null) => ({ issuer: OPERATOR_ISSUER, subject: key ?? OPERATOR_ITSELF });

export const findCustomerUser = (
  { database }: Pick<TeamsContext, 'database'>,
  teamId: string,
  key: string,
): Promise<OutsideUser | undefined> => findOutsideUser(database, teamId, asOutside(key));

/**
 * Finds the user that the operator names, or creates it the first time. It's a member, so that it never counts as the
 * team's admin; the operator acts as one whatever the row says.
 */
export const ensureCustomerUser = async (
  { database, clock, newId }: TeamsContext,
  teamId: string,
  { key, name, email }: CustomerUser,
): Promise<OutsideUser> => {
  if (key !== null && !isCustomerKey(key)) throw customerKeyInvalid();
  const outside = asOutside(key);
  const known = await findOutsideUser(database, teamId, outside);
  if (known) {
    const named = { ...known, name: name ?? known.name, email: email ?? known.email };
    if (named.name !== known.name || named.email !== known.email) await updateUser(database, named);
    return named;
  }
  const user = {
    ...{ id: newId(), teamId, email: email ?? null, name: name ?? key ?? 'Operator', role: 'member' as const },
    ...{ source: 'operator' as const, createdAt: clock.now(), signedInAt: null },
  };
  await insertUser(database, user, outside);
  const made = await findOutsideUser(database, teamId, outside);
  if (!made) throw new Error('The user was not created.');
  return made;
};
