import type { Queries } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { customerKeyInvalid } from '../errors.ts';
import { isCustomerKey } from '../records/customer-key.ts';
import {
  findOutsideUser,
  insertUser,
  OPERATOR_ISSUER,
  OPERATOR_ITSELF,
  type OutsideUser,
  updateUser,
} from '../records/user-store.ts';

/** A user of a customer. `key` is null for the operator itself. Nobody signs in with the email address. */
export type CustomerUser = { key: string | null; name?: string | null | undefined; email?: string | null | undefined };

const asOutside = (key: string | null) => ({ issuer: OPERATOR_ISSUER, subject: key ?? OPERATOR_ITSELF });

/** Finds a user, even a removed one. */
export const findCustomerUser = (
  queries: Queries,
  teamId: string,
  key: string | null,
  lock: '' | 'for update' = '',
): Promise<OutsideUser | undefined> => findOutsideUser(queries, teamId, asOutside(key), lock);

/**
 * Creates the user as a member, so that the user is never listed as an admin. When the operator acts for the user, it
 * has the admin role anyway. Returns false if the user exists.
 */
export const insertCustomerUser = async (
  { clock, newId }: Pick<TeamsContext, 'clock' | 'newId'>,
  queries: Queries,
  teamId: string,
  { key, name, email }: CustomerUser,
): Promise<boolean> => {
  const user = {
    ...{ id: newId(), teamId, email: email ?? null, name: name ?? key ?? 'Operator', role: 'member' as const },
    ...{ source: 'operator' as const, createdAt: clock.now(), signedInAt: null },
  };
  return (await insertUser(queries, user, asOutside(key))) > 0;
};

/** Finds the user that the operator names, or creates the user the first time. */
export const ensureCustomerUser = async (
  context: TeamsContext,
  teamId: string,
  { key, name, email }: CustomerUser,
): Promise<OutsideUser> => {
  if (key !== null && !isCustomerKey(key)) throw customerKeyInvalid();
  const { database } = context;
  const known = await findCustomerUser(database, teamId, key);
  if (known?.removed) return known;
  if (known) {
    const named = { ...known, name: name ?? known.name, email: email ?? known.email };
    if (named.name !== known.name || named.email !== known.email) await updateUser(database, named);
    return named;
  }
  await insertCustomerUser(context, database, teamId, { key, name, email });
  const made = await findCustomerUser(database, teamId, key);
  if (!made) throw new Error('The user was not created.');
  return made;
};
