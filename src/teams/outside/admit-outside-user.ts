import { recordAudit, SERVICE } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { isCustomerKey } from '../records/customer-key.ts';
import { describeEnded, endHandedBy } from '../records/handed-store.ts';
import { type Holder, holderOf } from '../records/holder.ts';
import type { OutsideIdentity } from '../records/outside-identity.ts';
import { findOutsideTeam, findTeamByKey, type Outside, putOutsideOnKeyedTeam } from '../records/team-store.ts';
import { findOutsideUser, insertUser, type OutsideUser, updateOutsideUser } from '../records/user-store.ts';
import { createTeam } from '../team/create-team.ts';

const WARN_EVERY_MS = 60_000;

/** Finds or creates the team. Null if it's being erased, or if its key belongs to a team of another issuer. */
const ensureTeam = async (context: TeamsContext, { issuer, team }: OutsideIdentity): Promise<string | null> => {
  const { database } = context;
  const outside = { issuer, subject: team };
  const known = await findOutsideTeam(database, outside);
  if (known) return known.id;
  const key = isCustomerKey(team) ? team : null;
  const made = await database.transaction((tx) => createTeam(context, tx, team, { key, outside }));
  if (made) return made.id;
  // The operator has already named this team, or another request created it at the same moment.
  if (key !== null) await putOutsideOnKeyedTeam(database, outside);
  return (await findOutsideTeam(database, outside))?.id ?? null;
};

const outsideOf = ({ issuer, user }: OutsideIdentity): Outside => ({ issuer, subject: user });

const ensureUser = async ({ database, clock, newId }: TeamsContext, teamId: string, identity: OutsideIdentity) => {
  const outside = outsideOf(identity);
  const known = await findOutsideUser(database, teamId, outside);
  if (known) return known;
  const { role, email, name } = identity;
  const user = {
    id: newId(),
    teamId,
    email,
    name,
    role,
    source: 'identity_provider' as const,
    createdAt: clock.now(),
    signedInAt: null,
  };
  await insertUser(database, user, outside);
  return findOutsideUser(database, teamId, outside);
};

/**
 * Whether the token is older than the last one that changed the user. A token's time is in whole seconds. If both times
 * are the same, the token can't make a member an admin.
 */
const isOutdated = ({ claimsIssuedAt, role }: OutsideUser, identity: OutsideIdentity): boolean => {
  if (claimsIssuedAt === null || identity.issuedAt === null) return false;
  const isLess = role === 'member' && identity.role === 'admin';
  return isLess ? identity.issuedAt <= claimsIssuedAt : identity.issuedAt < claimsIssuedAt;
};

/** Returns the user's row as the token changes it. Null if the token changes nothing. */
const changeBy = (user: OutsideUser, identity: OutsideIdentity, now: number): OutsideUser | null => {
  if (user.removed || isOutdated(user, identity)) return null;
  const { role, email, name, issuedAt } = identity;
  // If the provider's clock is ahead, don't store its future time. Otherwise, later tokens seem outdated.
  const seenAt = issuedAt === null ? null : Math.min(issuedAt, now);
  // Store the time even if nothing else changes, so that an older token can't restore the admin role.
  const isNewer = seenAt !== null && (user.claimsIssuedAt === null || seenAt > user.claimsIssuedAt);
  if (!isNewer && user.role === role && user.email === email && user.name === name) return null;
  return { ...user, role, email, name, claimsIssuedAt: isNewer ? seenAt : user.claimsIssuedAt };
};

/**
 * Updates the user's row from the token, because the identity provider decides about roles and names. The list of
 * members shows the row, and the user's own access tokens have its role. Returns the row.
 */
const followIdentity = async (
  context: TeamsContext,
  known: OutsideUser,
  identity: OutsideIdentity,
): Promise<OutsideUser | undefined> => {
  const { database, clock, forgetCallers } = context;
  if (!changeBy(known, identity, clock.now())) return known;
  return database.transaction(async (tx) => {
    // Another token may have changed the row since it was read, even made an admin of a member.
    const user = await findOutsideUser(tx, known.teamId, outsideOf(identity), 'for update');
    const changed = user && changeBy(user, identity, clock.now());
    if (!changed) return user;
    await updateOutsideUser(tx, changed);
    if (user.role !== 'admin' || changed.role === 'admin') return changed;
    tx.afterCommit(forgetCallers);
    const detail = describeEnded(await endHandedBy(tx, { teamId: user.teamId, userId: user.id }));
    const entry = { action: 'member.change', target: user.id, detail: { role: changed.role, ...detail } };
    if (detail) await recordAudit(context, tx, user.teamId, SERVICE, entry);
    return changed;
  });
};

/** Warns that a team belongs to another issuer. Only once a minute, because anyone with such a token can cause it. */
const createWarnOfOtherIssuer = ({ database, clock, log }: TeamsContext) => {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return async ({ issuer, team }: OutsideIdentity): Promise<void> => {
    const keyed = isCustomerKey(team) ? await findTeamByKey(database, team) : undefined;
    const now = clock.now();
    if (!keyed || keyed.erasing || Math.abs(now - warnedAt) < WARN_EVERY_MS) return;
    warnedAt = now;
    log.warn({ teamId: keyed.id, issuer }, 'a token was refused because another issuer has named its team');
  };
};

/**
 * Finds the team and the user that a token names, or creates them the first time. Both are identified by issuer and
 * claim, never by our IDs. A person in two of the provider's teams is a separate user in each. Null for a member who
 * was removed in Patchbay. A token from before the person lost the admin role lets them in as a member.
 */
export const createAdmitOutsideUser = (context: TeamsContext) => {
  const warnOfOtherIssuer = createWarnOfOtherIssuer(context);
  return async (identity: OutsideIdentity): Promise<Holder | null> => {
    const teamId = await ensureTeam(context, identity);
    if (teamId === null) await warnOfOtherIssuer(identity);
    const known = teamId === null ? null : await ensureUser(context, teamId, identity);
    const user = known && (await followIdentity(context, known, identity));
    if (!user || user.removed) return null;
    const isLess = identity.role === 'admin' && isOutdated(user, identity);
    return holderOf({ ...user, role: isLess ? user.role : identity.role });
  };
};
