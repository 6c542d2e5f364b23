import { type AuditActor, getTeam, recordAudit } from '../../teams/index.ts';
import { slackUrlInvalid } from '../errors.ts';
import { getReport } from '../figures/report-store.ts';
import { listFailedInSlack, listSkippedWeeks, requeueFailed } from '../ledger/report-delivery-store.ts';
import { parseSlackAddress, sealSlackAddress } from '../slack/slack-address.ts';
import { deleteSlackAddress, putSlackAddress } from '../slack/slack-address-store.ts';
import type { QueueDependencies } from './queue-deliveries.ts';
import { queueSkipped, STILL_NEWS_MS } from './queue-skipped.ts';
import { enqueueDelivery } from './send-report.job.ts';

export type SlackAddressDependencies = QueueDependencies & { production: boolean };

/** Sends the reports that had nobody to go to. */
const sendSkipped = async (dependencies: SlackAddressDependencies, teamId: string): Promise<void> => {
  const { database, clock } = dependencies;
  const team = await getTeam(database, teamId);
  for (const week of await listSkippedWeeks(database, teamId, clock.now() - STILL_NEWS_MS)) {
    const report = await getReport(database, teamId, week);
    if (team && report) await queueSkipped(dependencies, team, report);
  }
};

/** Reports that failed at the old address, or that nobody got, go to the new one. */
export const setSlackAddress = async (
  dependencies: SlackAddressDependencies,
  { teamId, userId }: { teamId: string; userId: string },
  text: string,
  actor: AuditActor,
): Promise<void> => {
  const { database, vault, clock, newId } = dependencies;
  const url = parseSlackAddress(text, dependencies);
  if (!url) throw slackUrlInvalid();
  const address = await sealSlackAddress(vault, teamId, url);
  const { host } = url;
  const now = clock.now();
  await database.transaction(async (tx) => {
    await putSlackAddress(tx, teamId, { address, host, setAt: now, setBy: userId });
    await recordAudit({ clock, newId }, tx, teamId, actor, { action: 'report.slack.put', target: host });
    for (const delivery of await listFailedInSlack(tx, teamId, now - STILL_NEWS_MS))
      if ((await requeueFailed(tx, delivery)) === 1) await enqueueDelivery(dependencies, tx, delivery);
  });
  await sendSkipped(dependencies, teamId);
};

export const removeSlackAddress = async (
  { database, clock, newId }: SlackAddressDependencies,
  teamId: string,
  actor: AuditActor,
): Promise<void> => {
  await database.transaction(async (tx) => {
    if ((await deleteSlackAddress(tx, teamId)) === 0) return;
    await recordAudit({ clock, newId }, tx, teamId, actor, { action: 'report.slack.delete' });
  });
};
