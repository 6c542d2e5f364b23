import { DatabaseUnavailable, type Transaction } from '../../platform/index.ts';
import { shareTeams } from '../../teams/index.ts';
import { RingIncomplete } from '../../vault/index.ts';
import { listStillThere } from '../accounts/account-store.ts';
import { recordSecretUses } from '../accounts/secret-use-store.ts';
import type { TelephonyContext } from '../context.ts';
import type { DeliveryFacts } from '../contract/call-fact.ts';
import { openFacts } from './delivery-payload.ts';
import {
  type DeliveryRow,
  deleteDelivery,
  erasePayloads,
  markDeliveriesProcessed,
  markDeliveryFailed,
} from './delivery-store.ts';
import { erasedRecordingKey, listErasedCalls } from './erased-call-store.ts';
import { nameOf } from './external-row-store.ts';
import { type CallUpdate, type OpenedDelivery, prepareCalls } from './prepare-calls.ts';
import { putCalls } from './put-calls.ts';
import { prepareRecordings, putRecordings, type RecordingUpdate } from './put-recordings.ts';
import { prepareTranscripts, putTranscripts, type TranscriptUpdate } from './put-transcripts.ts';

/** The part of the context that processing needs. The processing thread has it, too. */
export type ProcessingContext = Pick<
  TelephonyContext,
  'database' | 'vault' | 'clock' | 'newId' | 'log' | 'jobs' | 'record' | 'url' | 'providers' | 'onUnknown'
>;

type Batch = {
  deliveries: readonly OpenedDelivery[];
  calls: readonly CallUpdate[];
  recordings: readonly RecordingUpdate[];
  transcripts: readonly TranscriptUpdate[];
};

/**
 * How many transactions a batch may take. If another process inserts the same call during the first one, the second
 * updates that call. If anything is left after the third, there is a defect.
 */
const MOST_ROUNDS = 3;

const read = async ({ vault, providers }: ProcessingContext, row: DeliveryRow): Promise<OpenedDelivery> => {
  const provider = providers.find(({ id }) => id === row.provider);
  if (!provider) throw new Error("A delivery's provider no longer exists.");
  return { row, facts: await openFacts(vault, provider, row) };
};

/** Reads and seals before the transaction begins, so that no other writer waits for this part. */
const prepare = async (context: ProcessingContext, rows: readonly DeliveryRow[]): Promise<Batch> => {
  const deliveries: OpenedDelivery[] = [];
  for (const row of rows) deliveries.push(await read(context, row));
  const calls = await prepareCalls(context, deliveries);
  const recordings = await prepareRecordings(context.vault, deliveries);
  return { deliveries, calls, recordings, transcripts: prepareTranscripts(deliveries) };
};

/** Lists a delivery's kinds of events and states of recordings, which are kept when the payload is erased. */
const describe = ({ events, recordings, transcripts }: DeliveryFacts): string =>
  JSON.stringify({
    events: events.map(({ kind }) => kind),
    recordings: recordings.map(({ status }) => status),
    ...(transcripts && { transcripts: transcripts.map(({ status }) => status) }),
  });

const deliveriesOf = ({ calls, recordings }: Pick<Batch, 'calls' | 'recordings'>): Set<string> =>
  new Set([...calls.flatMap(({ deliveries }) => deliveries), ...recordings.flatMap(({ deliveries }) => deliveries)]);

const callKeyOf = ({ call, recordings }: DeliveryFacts): string | null =>
  call?.callKey ?? recordings[0]?.callKey ?? null;

/** Removes erased calls from the batch, and erases the payloads of the deliveries about them. */
const refuseErased = async (tx: Transaction, batch: Batch): Promise<Batch> => {
  const keysOf = ({ facts }: OpenedDelivery) =>
    new Set(
      [
        facts.call?.callKey,
        ...facts.recordings.flatMap(({ callKey, recordingId }) => [callKey, erasedRecordingKey(recordingId)]),
      ].filter((key) => key != null),
    );
  const named = batch.deliveries.flatMap((opened) => {
    const { teamId, accountId } = opened.row;
    return [...keysOf(opened)].map((callKey) => ({ teamId, accountId, callKey }));
  });
  const found = named.length > 0 ? await listErasedCalls(tx, named) : [];
  if (found.length === 0) return batch;
  const erased = new Set(found.map(({ accountId, callKey }) => nameOf({ accountId, externalId: callKey })));
  const isErased = (accountId: string, callKey: string | null): boolean =>
    callKey !== null && erased.has(nameOf({ accountId, externalId: callKey }));
  const refused = batch.deliveries.filter((opened) =>
    [...keysOf(opened)].some((callKey) => isErased(opened.row.accountId, callKey)),
  );
  await erasePayloads(
    tx,
    refused.map(({ row }) => row),
  );
  return {
    ...batch,
    calls: batch.calls.filter(({ accountId, externalId }) => !isErased(accountId, externalId)),
    recordings: batch.recordings.filter(
      ({ accountId, externalId, events }) =>
        !isErased(accountId, erasedRecordingKey(externalId)) &&
        !events.some(({ callKey }) => isErased(accountId, callKey)),
    ),
    transcripts: batch.transcripts.filter(
      ({ accountId, externalId, fact }) =>
        !isErased(accountId, erasedRecordingKey(externalId)) && !isErased(accountId, fact.callKey),
    ),
  };
};

/** Stores a batch. Returns the part that has to be stored again in a new transaction: see `putCalls`. */
const putBatch = async (context: ProcessingContext, tx: Transaction, whole: Batch): Promise<Batch> => {
  const now = context.clock.now();
  // Erasing a number locks the team before it adds to `erased_calls`. The shared lock taken here makes the erasure wait
  // until this commit, so that no call is added to `erased_calls` after `refuseErased` has read it.
  await shareTeams(tx, [...new Set(whole.deliveries.map(({ row }) => row.teamId))]);
  const batch = await refuseErased(tx, whole);
  const calls = await putCalls(context, tx, batch.calls, now);
  const recordings = await putRecordings(context, tx, batch.recordings, now);
  const notThere = new Set(recordings.map(nameOf));
  const transcripts = batch.transcripts.filter((update) => notThere.has(nameOf(update)));
  await putTranscripts(
    context,
    tx,
    batch.transcripts.filter((update) => !notThere.has(nameOf(update))),
  );
  const left = deliveriesOf({ calls, recordings });
  const done = batch.deliveries.filter(({ row }) => !left.has(row.id));
  await markDeliveriesProcessed(
    tx,
    done.map(({ row: { teamId, id }, facts }) => ({
      teamId,
      id,
      callKey: callKeyOf(facts),
      told: describe(facts),
    })),
    now,
  );
  // What was said is kept in one place only, which is erased with the recording.
  await erasePayloads(
    tx,
    done.filter(({ facts }) => facts.transcripts !== undefined).map(({ row }) => row),
  );
  await recordSecretUses(
    tx,
    done.map(({ row: { accountId, secretId, receivedAt } }) => ({ accountId, secretId, lastUsedAt: receivedAt })),
  );
  const deliveries = batch.deliveries.filter(({ row }) => left.has(row.id));
  return { deliveries, calls, recordings, transcripts };
};

const processAll = async (context: ProcessingContext, rows: readonly DeliveryRow[]): Promise<void> => {
  let batch = await prepare(context, rows);
  for (const { row, facts } of batch.deliveries)
    for (const { kind } of facts.events) if (kind === 'other') context.onUnknown(row.provider);
  for (let round = 0; batch.deliveries.length > 0; round++) {
    if (round === MOST_ROUNDS) throw new Error('A call or recording belongs to a different team than its account.');
    const putting = batch;
    batch = await context.database.transaction((tx) => putBatch(context, tx, putting));
  }
};

/** Assembles calls and recordings from deliveries. A delivery that can't be read doesn't hold up the others. */
export const processBatch = async (context: ProcessingContext, batch: readonly DeliveryRow[]): Promise<void> => {
  const [first, ...others] = batch;
  if (!first) return;
  try {
    await processAll(context, batch);
  } catch (err) {
    // An unavailable database or a missing key isn't the delivery's fault, so the delivery isn't marked as failed.
    if (err instanceof DatabaseUnavailable || err instanceof RingIncomplete) throw err;
    if (others.length > 0) {
      const half = Math.ceil(batch.length / 2);
      await processBatch(context, batch.slice(0, half));
      return processBatch(context, batch.slice(half));
    }
    const { database, clock, log } = context;
    if ((await listStillThere(database, [first.accountId])).length === 0) {
      // The account was deleted while the delivery was being stored.
      await deleteDelivery(database, first.teamId, first.id);
      return;
    }
    log.error({ err, delivery: first.id }, 'a delivery could not be processed');
    const problem = err instanceof Error ? err.name : 'unknown';
    await markDeliveryFailed(database, first.teamId, first.id, { problem, now: clock.now() });
  }
};
