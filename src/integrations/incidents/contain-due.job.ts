import { defineJob } from '../../jobs/index.ts';
import { BEFORE_IDS, Type } from '../../platform/index.ts';
import { cancelRevocations, hasOpen, listLedger } from '../containment/contained-store.ts';
import type { Containment } from '../containment/containment.ts';
import { listUnderWay, moveOn } from '../containment/containment-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { recordContainment } from './containment-event.ts';
import { fillLedger } from './fill-ledger.ts';
import { listMatching } from './matching-store.ts';
import { revokeContainedDue } from './revoke-contained-due.job.ts';
import { wakeConnections } from './schedule-store.ts';

export const CONTAIN_EVERY_MS = 5_000;
/** Many, because each long read takes a while to begin. */
const PAGE = 2_000;
/** Few, so that each commit is short. */
const TOGETHER = 200;
/** Less than a job may take. The next run goes on. */
const LIST_MS = 20_000;

/** Does what containments have left, but revokes nothing. A failed run isn't retried, because the next one does the same. */
export const containDue = defineJob({ name: 'contain-due', payload: Type.Object({}), attempts: 1 });

/**
 * Lists the next connections that a lifted containment may have put off. Those that match its filters, because it may have
 * been lifted before they were in its ledger; only a token's are known by the ledger alone.
 */
const listPutOff = async ({ database }: IntegrationsContext, containment: Containment): Promise<string[]> => {
  const { id: containmentId, tokenId, listedUpTo } = containment;
  const after = listedUpTo ?? BEFORE_IDS;
  if (tokenId === null) return (await listMatching(database, containment, after, PAGE)).map(({ id }) => id);
  const rows = await listLedger(database, { containmentId, teamId: null }, after, PAGE);
  return rows.map(({ connectionId }) => connectionId);
};

/** Puts the connections of a lifted containment back on their schedules, and begins nothing more for them. */
const wake = async (context: IntegrationsContext, containment: Containment): Promise<boolean> => {
  const { database, clock } = context;
  const ids = await listPutOff(context, containment);
  for (let start = 0; start < ids.length; start += TOGETHER) {
    const some = ids.slice(start, start + TOGETHER);
    const listedUpTo = some.at(-1) ?? null;
    await database.transaction(async (tx) => {
      if ((await moveOn(tx, containment, { phase: 'waking', listedUpTo })) === 0) return;
      await cancelRevocations(tx, containment.id, some);
      await wakeConnections(tx, some, clock.now());
    });
    containment.listedUpTo = listedUpTo;
  }
  if (ids.length === PAGE) return true;
  await moveOn(database, containment, { phase: 'done' });
  return false;
};

/** Ends the work on a containment if all its revocations have ended. */
const finish = async (context: IntegrationsContext, containment: Containment): Promise<void> => {
  const { database, clock } = context;
  if (await hasOpen(database, containment.id)) return;
  await database.transaction(async (tx) => {
    const finishedAt = clock.now();
    if ((await moveOn(tx, containment, { phase: 'done', finishedAt })) === 0) return;
    await recordContainment(context, tx, 'containment.finished', { ...containment, finishedAt });
  });
};

/** Works page by page, and ends when there is nothing more, or when the time is over. */
const goThrough = async (
  context: IntegrationsContext,
  containments: readonly Containment[],
  step: (context: IntegrationsContext, containment: Containment) => Promise<boolean>,
): Promise<void> => {
  const stopAt = performance.now() + LIST_MS;
  for (const containment of containments)
    for (let more = true; more && performance.now() < stopAt; ) more = await step(context, containment);
};

export const handleContainDue = (context: IntegrationsContext) => async (): Promise<void> => {
  const { database, jobs, pause } = context;
  const underWay = await listUnderWay(database);
  const inPhase = (wanted: Containment['phase']) => underWay.filter(({ phase }) => phase === wanted);
  await goThrough(context, inPhase('waking'), wake);
  await goThrough(context, inPhase('listing'), fillLedger);
  if (inPhase('listing').some(({ revokes }) => revokes))
    await database.transaction((tx) => jobs.hasten(tx, revokeContainedDue));
  if (await pause.read()) return;
  for (const containment of inPhase('revoking')) await finish(context, containment);
};
