import type { Clock, Database, NewId, Transaction } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import type { Vault } from '../../vault/index.ts';
import { sealRecipient } from '../ledger/recipient.ts';
import type { ReportDelivery } from '../ledger/report-delivery.ts';
import { insertReportDelivery } from '../ledger/report-delivery-store.ts';
import { getSlackAddress } from '../slack/slack-address-store.ts';
import { listAddresses } from './list-recipients.ts';
import { type EnqueueDependencies, enqueueDelivery } from './send-report.job.ts';

export type QueueDependencies = EnqueueDependencies & {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  /** False if no mail server is configured, so nobody is promised an email. */
  sendsMail: boolean;
};

type Report = { id: string; week: string };
type To = Pick<ReportDelivery, 'id' | 'channel' | 'recipientHash' | 'recipient'>;

const NO_MAIL_SERVER = 'No mail server is configured (SMTP_URL, MAIL_FROM), and Slack is not set up for this team.';
const NO_RECIPIENT = 'The team has no recipients with an email address, and Slack is not set up.';

const listMails = async ({ database, vault, newId }: QueueDependencies, team: Team): Promise<To[]> => {
  const addresses = await listAddresses(database, team);
  return Promise.all(
    addresses.map(async (address) => {
      const id = newId();
      const recipientHash = await vault.hash(team.id, `mail ${address}`);
      return { id, channel: 'mail', recipientHash, recipient: await sealRecipient(vault, team.id, id, address) };
    }),
  );
};

/** All recipients, sealed before the transaction begins. If there are none, one row says why. */
export const prepareDeliveries = async (
  dependencies: QueueDependencies,
  team: Team,
  report: Report,
): Promise<ReportDelivery[]> => {
  const { database, clock, newId, sendsMail } = dependencies;
  const toDelivery = (to: To, rest: Pick<ReportDelivery, 'state' | 'problem'>): ReportDelivery => ({
    ...to,
    ...rest,
    teamId: team.id,
    reportId: report.id,
    week: report.week,
    attempts: 0,
    nextTryAt: null,
    createdAt: clock.now(),
    sentAt: null,
  });
  const mails = sendsMail ? await listMails(dependencies, team) : [];
  const slack: To = { id: newId(), channel: 'slack', recipientHash: 'team', recipient: null };
  const everybody = (await getSlackAddress(database, team.id)) ? [...mails, slack] : mails;
  if (everybody.length > 0) return everybody.map((to) => toDelivery(to, { state: 'queued', problem: null }));
  const nobody: To = { id: newId(), channel: 'mail', recipientHash: 'nobody', recipient: null };
  return [toDelivery(nobody, { state: 'skipped', problem: sendsMail ? NO_RECIPIENT : NO_MAIL_SERVER })];
};

/** In the transaction that makes the report, so that sending it is neither forgotten nor done twice. */
export const queueDeliveries = async (
  dependencies: QueueDependencies,
  tx: Transaction,
  deliveries: readonly ReportDelivery[],
): Promise<void> => {
  for (const delivery of deliveries)
    if ((await insertReportDelivery(tx, delivery)) === 1 && delivery.state === 'queued')
      await enqueueDelivery(dependencies, tx, delivery);
};
