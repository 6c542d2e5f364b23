import { toIso } from '../../platform/index.ts';
import { lockAdmin, recordAudit } from '../../teams/index.ts';
import type { Containment } from '../containment/containment.ts';
import { countInForce, insertContainment } from '../containment/containment-store.ts';
import { containDue } from './contain-due.job.ts';
import { recordContainment } from './containment-event.ts';
import type { IncidentsContext } from './context.ts';
import { containmentsFull } from './errors.ts';
import { addToLedger } from './fill-ledger.ts';
import { type AskedContainment, type Asker, prepareContainment, stopTokens } from './prepare-containment.ts';

/** How many of a team's hand-outs are looked at before the response. The job looks at all of them right after. */
const NEWEST_HAND_OUTS = 500;
const HOUR_MS = 3_600_000;
/** How many may be in force at once, or were in the last hour: those of one team, and those of the operator. */
const MOST_IN_FORCE = { team: 20, operator: 200 };

const auditDetailOf = ({ reason, provider, connectedBefore, tokenId, revokes }: Containment, tokens: number) => ({
  ...{ reason, revoke: revokes === 1, tokens },
  ...(provider === null ? {} : { provider }),
  ...(tokenId === null ? {} : { token: tokenId }),
  ...(connectedBefore === null ? {} : { connectedBefore: toIso(connectedBefore) }),
});

/** Stops what matches, from the commit on. What is left to do follows in a job. */
export const beginContainment = async (
  context: IncidentsContext,
  asked: AskedContainment,
  asker: Asker,
): Promise<Containment> => {
  const { database, jobs, clock, forgetCallers, forgetStatus } = context;
  const { owner, actor } = asker;
  const { containment, used } = await prepareContainment(context, asked, asker, NEWEST_HAND_OUTS);
  const { id: target, ofTeamId } = containment;
  await database.transaction(async (tx) => {
    if (owner !== null) await lockAdmin(tx, owner, actor);
    const most = owner === null ? MOST_IN_FORCE.operator : MOST_IN_FORCE.team;
    if ((await countInForce(tx, owner, clock.now() - HOUR_MS)) >= most) throw containmentsFull(most);
    containment.startedAt = clock.now();
    await insertContainment(tx, containment);
    await addToLedger(tx, containment, used ?? [], clock.now());
    const tokens = await stopTokens(tx, containment);
    const detail = auditDetailOf(containment, tokens);
    await recordAudit(context, tx, ofTeamId, actor, { action: 'containment.start', target, detail });
    await recordContainment(context, tx, 'containment.started', containment);
    await jobs.hasten(tx, containDue);
    tx.afterCommit(() => {
      forgetCallers();
      forgetStatus(ofTeamId ?? '');
    });
  });
  return containment;
};
