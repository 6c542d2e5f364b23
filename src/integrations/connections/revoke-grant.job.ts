import { Discard, defineJob } from '../../jobs/index.ts';
import { type Transaction, Type } from '../../platform/index.ts';
import { getOauthProvider } from '../catalogue/catalogue.ts';
import { withDefaults } from '../catalogue/placeholders.ts';
import { describeFailure, failWithoutResponse } from '../catalogue/provider-failure.ts';
import { awaitRevocation, settleRevocation, toConsented } from '../containment/contained-store.ts';
import { reconsiderShared } from '../containment/shared-store.ts';
import type { IntegrationsContext } from '../context.ts';
import type { Target } from '../requests/ask-provider.ts';
import { type RevokeOutcome, revokeToken, type TokenToRevoke } from '../requests/grant-requests.ts';
import type { Connection } from './connection.ts';
import { giveUpRevocation } from './give-up-revocation.ts';
import {
  findStanding,
  findStandingLater,
  openAccess,
  openRevocationToken,
  renewForRevocation,
} from './grant-standing.ts';
import { findObstacle, type Obstacle } from './prepare-revocation.ts';
import {
  countRevocations,
  deleteRevocation,
  getRevocation,
  insertRevocation,
  noteAnswer,
  type Revocation,
} from './revocation-store.ts';

/** The job's delay if the first attempt is made right away, without the job. */
const AFTER_FIRST_TRY_MS = 30_000;
/** A team's pending revocations are counted up to this number. With so many, its next job runs last anyway. */
const MOST_COUNTED = 1_000;

/**
 * Revokes grants at the provider. The pause between attempts doubles from half a minute to six hours, so this many
 * attempts last longer than a revocation is kept.
 */
export const revokeGrant = defineJob({
  name: 'revoke-grant',
  payload: Type.Object({ teamId: Type.String(), revocationId: Type.String() }),
  attempts: 45,
  firstRetryMs: 30_000,
  mostRetryMs: 6 * 3_600_000,
});

/**
 * Stores the revocation of a connection's grant, and its job. The more pending revocations the team has, the later the job runs, so that other
 * teams don't have to wait for all of them.
 */
export const putRevocation = async (
  { jobs }: Pick<IntegrationsContext, 'jobs'>,
  tx: Transaction,
  connection: Pick<Connection, 'id' | 'connectedAt'>,
  revocation: Revocation,
  { firstTry }: { firstTry: 'here' | 'job' },
): Promise<void> => {
  const { teamId, id: revocationId, createdAt } = revocation;
  const behind = await countRevocations(tx, teamId, MOST_COUNTED);
  await insertRevocation(tx, revocation);
  await awaitRevocation(tx, toConsented(connection), revocationId, createdAt);
  await reconsiderShared(tx, revocation, createdAt);
  const delayMs = firstTry === 'here' ? AFTER_FIRST_TRY_MS : 0;
  await jobs.enqueue(tx, revokeGrant, { teamId, revocationId }, { delayMs, behind });
};

/**
 * Returns the token to revoke. If the provider needs an access token and only the refresh token was kept, gets a new
 * access token.
 */
const toSpendable = async (
  context: IntegrationsContext,
  target: Target,
  revocation: Revocation,
): Promise<TokenToRevoke | RevokeOutcome> => {
  const { vault } = context;
  const { tokenKind: kind } = revocation;
  if (kind === 'access' || target.provider.record.revoke?.token !== 'access')
    return { kind, token: await openRevocationToken(vault, revocation) };
  const kept = await openAccess(context, revocation);
  if (kept) return { kind: 'access', token: kept };
  const renewed = await renewForRevocation(context, target, revocation);
  if (!renewed.failure) return { kind: 'access', token: renewed.accessToken };
  if (renewed.failure.kind === 'invalid_grant') return { outcome: 'already_gone', failure: null };
  return { outcome: null, failure: renewed.failure };
};

const notAsked = (kind: 'client_missing' | 'client_replaced'): RevokeOutcome => ({
  outcome: null,
  failure: failWithoutResponse(kind),
});

const UNCONFIRMED = { outcome: 'unconfirmed', failure: null } as const;
const REVOKED = { outcome: 'revoked', failure: null } as const satisfies RevokeOutcome;

/** What a revocation led to. `unconfirmed`: the provider says that the grant has ended, but its access token works. */
type Tried = RevokeOutcome | typeof UNCONFIRMED;

/** Asks the provider to revoke a grant, and looks whether it did. */
const revoke = async (context: IntegrationsContext, target: Target, revocation: Revocation): Promise<Tried> => {
  const { database, clock } = context;
  const { teamId, id } = revocation;
  const isRepeated = revocation.answeredAt !== null;
  if (isRepeated) {
    const standing = await findStandingLater(context, target, revocation);
    if (standing !== 'alive') return standing === 'ended' ? REVOKED : UNCONFIRMED;
  }
  // Looking may have brought new tokens, and so does an access token that had to be requested for this.
  const current = async (): Promise<Revocation> => (await getRevocation(database, teamId, id)) ?? revocation;
  const spendable = await toSpendable(context, target, await current());
  if (!('token' in spendable)) return spendable;
  const result = await revokeToken(context, target, spendable);
  // After a repetition, the next try looks, because the end of a token may need a while to be known everywhere.
  if (isRepeated) return result.outcome ? UNCONFIRMED : result;
  if (result.outcome !== 'revoked') return result;
  if ((await findStanding(context, target, await current())) !== 'alive') return result;
  await noteAnswer(database, revocation, clock.now());
  return UNCONFIRMED;
};

/** Tries a revocation once. Deletes it if there's nothing left to do. Null if it no longer exists. */
export const tryRevocation = async (
  context: IntegrationsContext,
  teamId: string,
  id: string,
): Promise<Tried | Obstacle | null> => {
  const { catalogue, discover, clients, database, clock } = context;
  const revocation = await getRevocation(database, teamId, id);
  if (!revocation) return null;
  const provider = getOauthProvider(catalogue, revocation.provider);
  const client = await clients.open(teamId, revocation.provider, revocation.clientOf);
  // A provider or a client that was removed from the settings may come back. The job tries again later.
  if (!provider || !client) return notAsked('client_missing');
  if (client.id !== revocation.clientId) return notAsked('client_replaced');
  const discovered = await discover(provider);
  const target = { provider: discovered, client, values: withDefaults(revocation.details, discovered.record) };
  // Someone may have connected the same account in the meantime. Revoking the grant would end that connection, too.
  const obstacle = await findObstacle(context, target.provider, { ...revocation, id: '' });
  const result = obstacle ?? (await revoke(context, target, revocation));
  const outcome = typeof result === 'string' ? result : result.outcome;
  if (outcome !== null && outcome !== 'unconfirmed')
    await database.transaction(async (tx) => {
      await deleteRevocation(tx, teamId, id);
      await settleRevocation(tx, id, { state: outcome, now: clock.now() });
    });
  return result;
};

const NOT_CONFIRMED = "The provider didn't confirm the revocation within seven days.";
const STILL_WORKS = 'The provider says that access has ended, but the access token still works.';

export const handleRevokeGrant =
  (context: IntegrationsContext) =>
  async ({ teamId, revocationId }: { teamId: string; revocationId: string }): Promise<void> => {
    const { database, clock } = context;
    const revocation = await getRevocation(database, teamId, revocationId);
    if (revocation && revocation.expiresAt <= clock.now()) {
      await giveUpRevocation(context, revocation);
      const { answeredAt } = revocation;
      throw new Discard(answeredAt === null ? NOT_CONFIRMED : `${STILL_WORKS} Given up.`);
    }
    const result = await tryRevocation(context, teamId, revocationId);
    if (typeof result !== 'object' || !result) return;
    if (result.failure) throw new Error(describeFailure(result.failure));
    if (result.outcome === 'unconfirmed') throw new Error(STILL_WORKS);
  };
