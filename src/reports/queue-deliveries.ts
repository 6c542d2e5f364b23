import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, NewId, Transaction } from '../platform/index.ts';
import { listAdminAddresses, type Team } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import { insertReportDelivery, type ReportDelivery } from './report-delivery-store.ts';
import { sealRecipient, sendReport } from './send-report.job.ts';

export type QueueDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  jobs: Pick<Jobs, 'enqueue'>;
  /** False: no mail server is set, and nobody is promised a mail. */
  sendsMail: boolean;
};

/** Everybody who is to get it, sealed before the transaction begins. */
export const prepareDeliveries = async (
  { database, vault, clock, newId, sendsMail }: QueueDependencies,
  team: Team,
  report: { id: string; week: string },
): Promise<ReportDelivery[]> => {
  if (!sendsMail) return [];
  const addresses = team.reportRecipients ?? (await listAdminAddresses(database, team.id));
  const unique = [...new Set(addresses.map((address) => address.trim().toLowerCase()))];
  return Promise.all(
    unique.map(async (address) => {
      const id = newId();
      return {
        id,
        teamId: team.id,
        reportId: report.id,
        week: report.week,
        recipientHash: await vault.hash(team.id, `mail ${address}`),
        recipient: await sealRecipient(vault, team.id, id, address),
        state: 'queued' as const,
        problem: null,
        createdAt: clock.now(),
        sentAt: null,
      };
    }),
  );
};

/** In the transaction that makes the report: there is no report whose sending is forgotten, and none that is sent twice. */
export const queueDeliveries = async (
  { jobs }: QueueDependencies,
  tx: Transaction,
  deliveries: readonly ReportDelivery[],
): Promise<void> => {
  for (const delivery of deliveries)
    if ((await insertReportDelivery(tx, delivery)) === 1)
      await jobs.enqueue(tx, sendReport, { teamId: delivery.teamId, deliveryId: delivery.id }, { key: delivery.id });
};
