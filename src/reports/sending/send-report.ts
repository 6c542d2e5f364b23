import type { Clock, Log } from '../../platform/index.ts';
import { getTeam } from '../../teams/index.ts';
import { type DeliveryFailure, nextWaitMs, type ReportDelivery } from '../ledger/report-delivery.ts';
import { beginSending, getReportDelivery, isUnsubscribed, settleDelivery } from '../ledger/report-delivery-store.ts';
import { type PrepareSlackDependencies, prepareSlack } from '../slack/prepare-slack.ts';
import { listAddresses } from './list-recipients.ts';
import { type PrepareMailDependencies, prepareMail } from './prepare-mail.ts';
import { type EnqueueDependencies, enqueueDelivery } from './send-report.job.ts';

export type SendDependencies = PrepareMailDependencies &
  PrepareSlackDependencies &
  EnqueueDependencies & { clock: Clock; log: Log };

class Overtaken extends Error {}

/** Null if another process is already sending it. */
const send = async (dependencies: SendDependencies, delivery: ReportDelivery) => {
  const prepare = delivery.channel === 'slack' ? prepareSlack : prepareMail;
  const sendNow = await prepare(dependencies, delivery);
  try {
    const failure = await sendNow(async () => {
      if ((await beginSending(dependencies.database, delivery)) === 0) throw new Overtaken();
    });
    return { failure };
  } catch (error) {
    if (error instanceof Overtaken) return null;
    throw error;
  }
};

const settleFailure = async (
  dependencies: SendDependencies,
  delivery: ReportDelivery,
  failure: DeliveryFailure,
): Promise<void> => {
  const { database, clock, log } = dependencies;
  const { kind, problem } = failure;
  const { id, channel, attempts } = delivery;
  const now = clock.now();
  const waitMs = kind === 'later' ? nextWaitMs(delivery, failure, now) : null;
  log.warn({ delivery: id, channel, problem, triesAgain: waitMs !== null }, 'a report could not be sent');
  if (waitMs === null) {
    await settleDelivery(database, delivery, { state: kind === 'unclear' ? 'unclear' : 'failed', problem });
    return;
  }
  await database.transaction(async (tx) => {
    const waiting = { state: 'queued', problem, nextTryAt: now + waitMs } as const;
    if ((await settleDelivery(tx, delivery, waiting)) === 1)
      await enqueueDelivery(dependencies, tx, { ...delivery, attempts: attempts + 1 }, waitMs);
  });
};

/** Anyone removed from the list while it waited gets nothing. */
const isRecipient = async (
  { database, vault }: SendDependencies,
  { teamId, channel, recipientHash }: ReportDelivery,
): Promise<boolean> => {
  if (channel !== 'mail') return true;
  const team = await getTeam(database, teamId);
  const addresses = team ? await listAddresses(database, team) : [];
  const hashes = await Promise.all(addresses.map((address) => vault.hash(teamId, `mail ${address}`)));
  return hashes.includes(recipientHash);
};

const NO_RECIPIENT = 'The recipient was removed from the list before the report was sent.';
const INTERRUPTED: DeliveryFailure = { kind: 'unclear', problem: 'Sending was interrupted.' };

export const handleSendReport =
  (dependencies: SendDependencies) =>
  async ({ teamId, deliveryId, attempt }: { teamId: string; deliveryId: string; attempt: number }): Promise<void> => {
    const { database, clock } = dependencies;
    const delivery = await getReportDelivery(database, teamId, deliveryId);
    if (delivery?.attempts !== attempt - 1) return;
    // A process ended between sending it and recording that. It may have arrived, so it isn't sent again.
    if (delivery.state === 'sending') return settleFailure(dependencies, delivery, INTERRUPTED);
    if (delivery.state !== 'queued') return;
    if (await isUnsubscribed(database, teamId, delivery.recipientHash)) {
      await settleDelivery(database, delivery, { state: 'unsubscribed', problem: null });
      return;
    }
    if (!(await isRecipient(dependencies, delivery))) {
      await settleDelivery(database, delivery, { state: 'skipped', problem: NO_RECIPIENT });
      return;
    }
    const sent = await send(dependencies, delivery);
    if (sent?.failure) await settleFailure(dependencies, delivery, sent.failure);
    else if (sent) await settleDelivery(database, delivery, { state: 'sent', problem: null, sentAt: clock.now() });
  };
