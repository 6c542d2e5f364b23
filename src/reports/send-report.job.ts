import { Type } from 'typebox';
import { Discard, defineJob } from '../jobs/index.ts';
import { type Clock, type Database, Secret } from '../platform/index.ts';
import { getTeam } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import { renderMail } from './mail.ts';
import type { Mailer } from './mailer.ts';
import { openFigures } from './make-report.ts';
import {
  changeDeliveryState,
  type DeliveryState,
  getReportDelivery,
  isUnsubscribed,
  type ReportDelivery,
} from './report-delivery-store.ts';
import { getReport } from './report-store.ts';
import { unsubscribeUrlOf } from './unsubscribe.ts';

export type SendDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  url: string;
  /** Null: no mail server is set. */
  mailer: Mailer | null;
};

/** Doubling from a minute to six hours: about three days. */
export const sendReport = defineJob({
  name: 'send-report',
  payload: Type.Object({ teamId: Type.String(), deliveryId: Type.String() }),
  attempts: 18,
  firstRetryMs: 60_000,
  mostRetryMs: 6 * 3_600_000,
  concurrency: 4,
});

const placeOf = (id: string) => ({ record: `report_deliveries/${id}`, field: 'recipient' });

export const sealRecipient = (vault: Vault, teamId: string, id: string, recipient: string): Promise<string> =>
  vault.seal(teamId, placeOf(id), new Secret(recipient));

const openRecipient = async (vault: Vault, { teamId, id, recipient }: ReportDelivery): Promise<string> =>
  (await vault.open(teamId, placeOf(id), recipient)).reveal();

const writeMail = async ({ database, vault, url }: SendDependencies, delivery: ReportDelivery) => {
  const { id, teamId, week } = delivery;
  const report = await getReport(database, teamId, week);
  const team = await getTeam(database, teamId);
  if (!report || !team) throw new Discard('The report or its team is gone.');
  const unsubscribeUrl = unsubscribeUrlOf(vault, url, delivery);
  const view = { ...report, team: team.name, figures: await openFigures(vault, report) };
  const rendered = renderMail(view, { report: `${url}/api/reports/${week}`, unsubscribe: unsubscribeUrl });
  return {
    ...rendered,
    to: await openRecipient(vault, delivery),
    // The same each time: whoever gets it twice after all can tell.
    messageId: `<report-${id}@${new URL(url).hostname}>`,
    unsubscribeUrl,
  };
};

export const handleSendReport =
  (dependencies: SendDependencies) =>
  async ({ teamId, deliveryId }: { teamId: string; deliveryId: string }): Promise<void> => {
    const { database, clock, mailer } = dependencies;
    const delivery = await getReportDelivery(database, teamId, deliveryId);
    if (!delivery) return;
    const change = (from: DeliveryState, to: DeliveryState, problem: string | null = null): Promise<number> =>
      changeDeliveryState(database, teamId, deliveryId, { from, to, problem, now: clock.now() });
    // A process has ended between handing it over and writing that down: nobody can tell, and it is not sent again.
    if (delivery.state === 'sending') await change('sending', 'unclear', 'Sending was interrupted.');
    if (delivery.state !== 'queued') return;
    if (await isUnsubscribed(database, teamId, delivery.recipientHash)) {
      await change('queued', 'unsubscribed');
      return;
    }
    if (!mailer) throw new Error('No mail server is set any more.');
    const mail = await writeMail(dependencies, delivery);
    if ((await change('queued', 'sending')) === 0) return;
    const failure = await mailer.send(mail);
    if (!failure) await change('sending', 'sent');
    else if (failure.kind === 'unclear') await change('sending', 'unclear', failure.problem);
    else if (failure.kind === 'refused') await change('sending', 'failed', failure.problem);
    else {
      await change('sending', 'queued', failure.problem);
      throw new Error(failure.problem);
    }
  };
