import { createCallerTurns } from '../../http/index.ts';
import {
  deleteSlackAddress,
  getSlackAddress,
  parseSlackAddress,
  prepareSlackPost,
  putSlackAddress,
  sealSlackAddress,
} from '../../notices/index.ts';
import { type Database, oncePer } from '../../platform/index.ts';
import { type AuditActor, getTeam, getUser, lockAdmin, recordAudit } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { slackNotSet, slackRefused, slackUrlInvalid } from '../errors.ts';
import { getReport } from '../figures/report-store.ts';
import { listFailedInSlack, listSkippedWeeks, requeueFailed } from '../ledger/dispatch-store.ts';
import { reportDispatches } from '../ledger/report-dispatches.ts';
import { LIMITS } from '../limits.ts';
import { renderSlackTest } from '../rendering/render-slack.ts';
import { queueSkipped, STILL_NEWS_MS } from './queue-dispatches.ts';

/** Shows the host, never the webhook URL: anyone who has the URL can post to the channel. */
export type ShownSlackAddress = { host: string; setBy: { id: string; label: string }; setAt: number };

export const showSlackAddress = async (
  { database }: ReportsContext,
  teamId: string,
): Promise<ShownSlackAddress | null> => {
  const row = await getSlackAddress(database, teamId);
  if (!row) return null;
  const { host, setAt, setBy } = row;
  const user = await getUser(database, teamId, setBy);
  return { host, setAt, setBy: { id: setBy, label: user?.email ?? user?.name ?? setBy } };
};

/** Sends recent reports that had no recipient. */
const sendSkipped = async (context: ReportsContext, teamId: string): Promise<void> => {
  const { database, clock } = context;
  const team = await getTeam(database, teamId);
  for (const week of await listSkippedWeeks(database, teamId, clock.now() - STILL_NEWS_MS)) {
    const report = await getReport(database, teamId, week);
    if (team && report) await queueSkipped(context, team, report);
  }
};

/** Saves the webhook URL. Reports that failed at the old URL, or that had no recipient, go to the new one. */
export const setSlackAddress = async (
  context: ReportsContext,
  { teamId, userId }: { teamId: string; userId: string },
  text: string,
  actor: AuditActor,
): Promise<void> => {
  const { database, vault, clock } = context;
  const url = parseSlackAddress(text, context);
  if (!url) throw slackUrlInvalid();
  const address = await sealSlackAddress(vault, teamId, url);
  const { host } = url;
  const now = clock.now();
  await database.transaction(async (tx) => {
    await lockAdmin(tx, teamId, actor);
    await putSlackAddress(tx, teamId, { address, host, setAt: now, setBy: userId });
    await recordAudit(context, tx, teamId, actor, { action: 'report.slack.put', target: host });
    for (const dispatch of await listFailedInSlack(tx, teamId, now - STILL_NEWS_MS))
      if ((await requeueFailed(tx, dispatch)) === 1) await reportDispatches.enqueue(context, tx, dispatch);
  });
  await sendSkipped(context, teamId);
};

export const removeSlackAddress = (context: ReportsContext, teamId: string, actor: AuditActor): Promise<void> =>
  context.database.transaction(async (tx) => {
    await lockAdmin(tx, teamId, actor);
    if ((await deleteSlackAddress(tx, teamId)) === 0) return;
    await recordAudit(context, tx, teamId, actor, { action: 'report.slack.delete' });
  });

const testTurnsIn = oncePer((_: Database) => createCallerTurns(LIMITS.slackTests));

const sendTestNow = async (context: ReportsContext, teamId: string, actor: AuditActor): Promise<void> => {
  const { database } = context;
  const row = await getSlackAddress(database, teamId);
  const team = await getTeam(database, teamId);
  if (!row || !team) throw slackNotSet();
  await context.pause.check();
  const send = await prepareSlackPost(context, teamId, renderSlackTest(team.name));
  const failure = await send(async () => undefined);
  const detail = { result: failure ? 'failed' : 'sent' };
  await recordAudit(context, database, teamId, actor, { action: 'report.slack.test', target: row.host, detail });
  if (failure) throw slackRefused(failure.problem);
};

/** Sends a test message immediately and without retries, because a person is waiting for it. */
export const sendSlackTest = (context: ReportsContext, teamId: string, actor: AuditActor): Promise<void> =>
  testTurnsIn(context.database)({ teamId, userId: actor.userId ?? '' }, () => sendTestNow(context, teamId, actor));
