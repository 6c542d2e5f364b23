import { BEFORE_IDS, firstIdAt, type Transaction } from '../../platform/index.ts';
import { copySettled, insertContained, toContained } from '../containment/contained-store.ts';
import type { Containment, Phase } from '../containment/containment.ts';
import { isInForce, moveOn } from '../containment/containment-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { listUsedConnections } from './list-used-connections.ts';
import { listFromLater, listMatching, type MatchingConnection } from './matching-store.ts';
import { stopTokens } from './prepare-containment.ts';
import { pullBackConsents, suspendConnections } from './schedule-store.ts';

/** Many, because each long read takes a while to begin. */
const PAGE = 2_000;
/** Few, so that each commit is short. */
const TOGETHER = 100;
/** Long, because lifting a containment ends it. */
const SUSPENDED_MS = 30 * 24 * 3_600_000;
/** How long a connect may take to commit. What it stores in this time is looked for once more. */
const CONNECTS_SETTLED_AFTER_MS = 5_000;
/** Longer than any process takes to store who has used what. */
const USES_STORED_AFTER_MS = 8_000;
/** How much the clocks of different processes may differ. */
const SLACK_MS = 60_000;
/** How much older than a row its ID may be. */
const OLDEST_ID_MS = 10 * 60_000;

/** Adds connections to a containment's ledger. Takes those that it stops off the schedules of refreshes and verifications. */
export const addToLedger = async (
  tx: Transaction,
  containment: Containment,
  matching: readonly MatchingConnection[],
  now: number,
): Promise<void> => {
  if (matching.length === 0) return;
  const ids = matching.map(({ id }) => id);
  await insertContained(
    tx,
    matching.map((one) => toContained(containment, one, now)),
  );
  await copySettled(tx, containment.id, ids);
  if (containment.stopsConnections) await suspendConnections(tx, ids, now + SUSPENDED_MS);
};

/** The phase that follows once all connections are in the ledger. */
const phaseAfter = ({ revokes }: Containment): Phase => (revokes ? 'revoking' : 'done');

/** Finds connections that were stored while the clock was ahead, so that they seem to be from after the start. */
const pullBack = async ({ database, clock }: IntegrationsContext, containment: Containment): Promise<void> => {
  for (;;) {
    const ids = await listFromLater(database, containment, clock.now() + SLACK_MS, PAGE);
    if (ids.length > 0) await pullBackConsents(database, ids, containment.startedAt);
    if (ids.length < PAGE) return;
  }
};

/**
 * Adds the next connections to the ledger. Returns whether there may be more. A connect that was committing while the
 * containment began may add a connection with an older ID, so the newest IDs are looked at again.
 */
const fillFromFilter = async (context: IntegrationsContext, containment: Containment): Promise<boolean> => {
  const { database, clock } = context;
  const { startedAt } = containment;
  if (containment.listedUpTo === null) await pullBack(context, containment);
  const after = containment.listedUpTo ?? BEFORE_IDS;
  const now = clock.now();
  const matching = await listMatching(database, containment, after, PAGE);
  for (let start = 0; start < matching.length; start += TOGETHER) {
    const some = matching.slice(start, start + TOGETHER);
    const listedUpTo = some.at(-1)?.id ?? after;
    await database.transaction(async (tx) => {
      if ((await moveOn(tx, containment, { phase: 'listing', listedUpTo })) === 0) return;
      await addToLedger(tx, containment, some, now);
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
  const used = await listUsedConnections(context, { ...containment, ofTeamId }, tokenId, Number.POSITIVE_INFINITY);
  const isOver = now >= containment.startedAt + USES_STORED_AFTER_MS;
  await database.transaction(async (tx) => {
    if ((await moveOn(tx, containment, { phase: isOver ? phaseAfter(containment) : 'listing' })) === 0) return;
    await addToLedger(tx, containment, used, now);
  });
  return false;
};

/** Adds the next connections to a containment's ledger. Returns whether there may be more. */
export const fillLedger = async (context: IntegrationsContext, containment: Containment): Promise<boolean> => {
  // A token may have been committed after the containment, although it was made before.
  await context.database.transaction(async (tx) => {
    if (await isInForce(tx, containment.id, 'for share')) await stopTokens(tx, containment);
  });
  const { tokenId, ofTeamId } = containment;
  if (tokenId === null || ofTeamId === null) return fillFromFilter(context, containment);
  return fillFromUses(context, containment, { tokenId, ofTeamId });
};
