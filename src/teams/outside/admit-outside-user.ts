import type { TeamsContext } from '../records/context.ts';
import { type Holder, holderOf } from '../records/holder.ts';
import type { OutsideIdentity } from '../records/outside-identity.ts';
import { findOutsideTeam } from '../records/team-store.ts';
import { findOutsideUser, insertUser, type OutsideUser, updateOutsideUser } from '../records/user-store.ts';
import { createTeam } from '../team/create-team.ts';

const ensureTeam = async (context: TeamsContext, { issuer, team }: OutsideIdentity): Promise<string> => {
  const { database } = context;
  const outside = { issuer, subject: team };
  const known = await findOutsideTeam(database, outside);
  if (known) return known.id;
  const made = await database.transaction((tx) => createTeam(context, tx, team, outside));
  // Null: another request made it at the same moment.
  return made?.id ?? (await findOutsideTeam(database, outside))?.id ?? '';
};

const ensureUser = async ({ database, clock, newId }: TeamsContext, teamId: string, identity: OutsideIdentity) => {
  const outside = { issuer: identity.issuer, subject: identity.user };
  const known = await findOutsideUser(database, teamId, outside);
  if (known) return known;
  const { role, email, name } = identity;
  const user = { id: newId(), teamId, email, name, role, outside: true, createdAt: clock.now(), signedInAt: null };
  await insertUser(database, user, outside);
  return findOutsideUser(database, teamId, outside);
};

/** An older token than the last one that changed the user. Times are in seconds; within one, the lesser role wins. */
const isOutdated = ({ claimsIssuedAt, role }: OutsideUser, identity: OutsideIdentity): boolean => {
  if (claimsIssuedAt === null || identity.issuedAt === null) return false;
  const isLess = role === 'member' && identity.role === 'admin';
  return isLess ? identity.issuedAt <= claimsIssuedAt : identity.issuedAt < claimsIssuedAt;
};

/** The provider decides, with every token. The row follows, for the list of members and for our own credentials. */
const followIdentity = async ({ database, clock }: TeamsContext, user: OutsideUser, identity: OutsideIdentity) => {
  const { role, email, name, issuedAt } = identity;
  const isKnown = user.claimsIssuedAt !== null || issuedAt === null;
  if (isKnown && user.role === role && user.email === email && user.name === name) return;
  // A provider whose clock is ahead must not make its next tokens outdated.
  const claimsIssuedAt = issuedAt === null ? user.claimsIssuedAt : Math.min(issuedAt, clock.now());
  await updateOutsideUser(database, { ...user, role, email, name, claimsIssuedAt });
};

/**
 * Finds the team and the user that a token names, or creates them the first time. Both are known by issuer and claim,
 * never by our ids. Someone in two of the provider's teams is a user of each. Null for a member who was removed here.
 *
 * Someone who was demoted may still have a token that says admin. It changes nothing, and lets them in as a member.
 */
export const admitOutsideUser = async (context: TeamsContext, identity: OutsideIdentity): Promise<Holder | null> => {
  const user = await ensureUser(context, await ensureTeam(context, identity), identity);
  if (!user || user.removed) return null;
  if (isOutdated(user, identity)) return holderOf({ ...user, role: identity.role === 'admin' ? user.role : 'member' });
  await followIdentity(context, user, identity);
  return holderOf({ ...user, role: identity.role });
};
