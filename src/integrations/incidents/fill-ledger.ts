import { BEFORE_IDS, firstIdAt, type Transaction } from '../../platform/index.ts';
import { getOauthProvider } from '../catalogue/catalogue.ts';
import type { Catalogue } from '../catalogue/provider.ts';
import { insertContained } from '../containment/contained-store.ts';
import type { ContainedConnection, Containment, Phase } from '../containment/containment.ts';
import { moveOn } from '../containment/containment-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { listUsedConnections } from './list-used-connections.ts';
import { listMatching, type MatchingConnection } from './matching-store.ts';
import { postponeConnections } from './schedule-store.ts';

/** Many, because each long read takes a while to begin. */
const PAGE = 2_000;
/** Few, so that each commit is short. */
const TOGETHER = 100;
const DAY_MS = 24 * 3_600_000;
/** How long a connect may take to commit. What it stores in this time is looked for once more. */
const CONNECTS_SETTLED_AFTER_MS = 5_000;
/** Longer than any process takes to store who has used what. */
const USES_STORED_AFTER_MS = 8_000;
/** How much older than a row its ID may be. */
const OLDEST_ID_MS = 10 * 60_000;

/** Equal for connections that use the same grant. Null if each has its own, or if nobody knows whose account it is. */
const grantKeyOf = (
  catalogue: Catalogue,
  { provider, accountId, clientId, clientOf, authority }: MatchingConnection,
): string | null => {
  const { revoke } = getOauthProvider(catalogue, provider)?.record ?? {};
  if (accountId === null || !revoke || revoke.kills === 'token') return null;
  return JSON.stringify([provider, clientOf, clientId, authority, accountId]);
};

/** Adds connections to a containment's ledger, and takes them off the schedules of refreshes and verifications. */
export const addToLedger = async (
  { catalogue }: Pick<IntegrationsContext, 'catalogue'>,
  tx: Transaction,
  { id: containmentId, revokes }: Containment,
  matching: readonly MatchingConnection[],
  now: number,
): Promise<void> => {
  if (matching.length === 0) return;
  await insertContained(
    tx,
    matching.map((one): ContainedConnection => {
      const { id: connectionId, teamId, provider, name, connectedAt, accountId, accountLabel } = one;
      return {
        ...{ containmentId, connectionId, teamId, provider, name, connectedAt, accountId, accountLabel },
        ...{ grantKey: grantKeyOf(catalogue, one), state: null, revocationId: null },
        ...{ changedAt: now, dueAt: revokes ? now : null },
      };
    }),
  );
  await postponeConnections(
    tx,
    matching.map(({ id }) => id),
    now + DAY_MS,
  );
};

/** The phase that follows once all connections are in the ledger. */
const phaseAfter = ({ revokes }: Containment): Phase => (revokes ? 'revoking' : 'done');

/**
 * Adds the next connections to the ledger. Returns whether there may be more. A connect that was committing while the
 * containment began may add a connection with an older ID, so the newest IDs are looked at again.
 */
const fillFromFilter = async (context: IntegrationsContext, containment: Containment): Promise<boolean> => {
  const { database, clock } = context;
  const { startedAt } = containment;
  const after = containment.listedUpTo ?? BEFORE_IDS;
  const now = clock.now();
  const matching = await listMatching(database, containment, after, PAGE);
  for (let start = 0; start < matching.length; start += TOGETHER) {
    const some = matching.slice(start, start + TOGETHER);
    const listedUpTo = some.at(-1)?.id ?? after;
    await database.transaction(async (tx) => {
      if ((await moveOn(tx, containment, { phase: 'listing', listedUpTo })) === 0) return;
      await addToLedger(context, tx, containment, some, now);
    });
    containment.listedUpTo = listedUpTo;
  }
  if (matching.length === PAGE) return true;
  if (now >= startedAt + CONNECTS_SETTLED_AFTER_MS)
    await moveOn(database, containment, { phase: phaseAfter(containment) });
  else {
    const [again = after] = [containment.listedUpTo ?? after, firstIdAt(startedAt - OLDEST_ID_MS)].toSorted();
    await moveOn(database, containment, { phase: 'listing', listedUpTo: again });
  }
  return false;
};

/** Adds the connections that a token was used with. Uses are stored behind the requests, so they're looked up again. */
const fillFromUses = async (
  context: IntegrationsContext,
  containment: Containment,
  { tokenId, ofTeamId }: { tokenId: string; ofTeamId: string },
): Promise<boolean> => {
  const { database, clock } = context;
  const now = clock.now();
  const used = await listUsedConnections(context, { ...containment, ofTeamId }, tokenId);
  const isOver = now >= containment.startedAt + USES_STORED_AFTER_MS;
  await database.transaction(async (tx) => {
    if ((await moveOn(tx, containment, { phase: isOver ? phaseAfter(containment) : 'listing' })) === 0) return;
    await addToLedger(context, tx, containment, used, now);
  });
  return false;
};

/** Adds the next connections to a containment's ledger. Returns whether there may be more. */
export const fillLedger = (context: IntegrationsContext, containment: Containment): Promise<boolean> => {
  const { tokenId, ofTeamId } = containment;
  if (tokenId === null || ofTeamId === null) return fillFromFilter(context, containment);
  return fillFromUses(context, containment, { tokenId, ofTeamId });
};
