import type { Clock, Database, NewId } from '../platform/index.ts';
import { type AuditActor, recordAudit } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import { slackUrlInvalid } from './errors.ts';
import { listFailedInSlack, requeueFailed } from './report-delivery-store.ts';
import { type EnqueueDependencies, enqueueDelivery } from './send-report.job.ts';
import { parseSlackAddress, sealSlackAddress } from './slack-address.ts';
import { deleteSlackAddress, putSlackAddress } from './slack-address-store.ts';

export type SlackAddressDependencies = EnqueueDependencies & {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  production: boolean;
};

/** For so long a report that Slack has refused is still news. */
const STILL_NEWS_MS = 7 * 24 * 3_600_000;

/** What an address that is gone has kept from the team goes to the new one. */
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
