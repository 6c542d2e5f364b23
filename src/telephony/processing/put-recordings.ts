import type { Transaction } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { TelephonyContext } from '../context.ts';
import type { RecordingFact } from '../contract/call-fact.ts';
import { queueFetch } from '../recordings/fetch-recording.job.ts';
import { sealMediaUrl } from '../recordings/media-url.ts';
import { addToRecording, beginRecording, type RecordingTold } from '../recordings/recording.ts';
import { toRecordingEvent } from '../recordings/recording-event.ts';
import { type ExternalName, nameOf } from './external-row-store.ts';
import type { OpenedDelivery } from './prepare-calls.ts';
import { insertRecordings, lockRecordings, type RecordingBatchRow, updateRecordings } from './recording-batch-store.ts';

/** Everything a batch of deliveries says about one recording. */
export type RecordingUpdate = ExternalName & {
  provider: string;
  deliveries: readonly string[];
  events: readonly RecordingFact[];
};

/** Seals the media URL of a recording, before the transaction begins. */
export const sealRecording = async (
  vault: Vault,
  { teamId, accountId }: Pick<ExternalName, 'teamId' | 'accountId'>,
  event: RecordingFact,
): Promise<RecordingFact> => ({
  ...event,
  mediaUrl:
    event.mediaUrl === null
      ? null
      : await sealMediaUrl(vault, { teamId, accountId, externalId: event.recordingId }, event.mediaUrl),
});

export const prepareRecordings = async (
  vault: Vault,
  deliveries: readonly OpenedDelivery[],
): Promise<RecordingUpdate[]> => {
  const updates = new Map<string, RecordingUpdate>();
  for (const { row, facts } of deliveries)
    for (const told of facts.recordings) {
      const { teamId, accountId, provider } = row;
      const name = { teamId, accountId, externalId: told.recordingId };
      const known = updates.get(nameOf(name));
      updates.set(nameOf(name), {
        ...name,
        provider,
        deliveries: [...(known?.deliveries ?? []), row.id],
        events: [...(known?.events ?? []), await sealRecording(vault, row, told)],
      });
    }
  return [...updates].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, update]) => update);
};

const addAll = (known: RecordingTold, events: readonly RecordingFact[]): RecordingTold =>
  events.reduce(addToRecording, known);

const beginWith = ([first, ...others]: readonly RecordingFact[]): RecordingTold => {
  if (!first) throw new Error('There is nothing to store about a recording.');
  return addAll(beginRecording(first), others);
};

/**
 * Adds what deliveries say to their recordings. Once a recording is available, a job fetches it. Returns the updates of
 * new recordings that another process inserted first, as `putCalls` does.
 */
export const putRecordings = async (
  context: Pick<TelephonyContext, 'newId' | 'jobs' | 'url' | 'vault' | 'record'>,
  tx: Transaction,
  updates: readonly RecordingUpdate[],
  now: number,
): Promise<RecordingUpdate[]> => {
  if (updates.length === 0) return [];
  const stored = new Map((await lockRecordings(tx, updates)).map((row) => [nameOf(row), row]));
  const changed: RecordingBatchRow[] = [];
  const fresh: (RecordingBatchRow & { update: RecordingUpdate })[] = [];
  const nowThere: RecordingBatchRow[] = [];
  const nowFailed: RecordingBatchRow[] = [];
  for (const update of updates) {
    const known = stored.get(nameOf(update));
    if (known) {
      const told = addAll(known, update.events);
      changed.push({ ...known, ...told });
      if (told.state === 'waiting' && known.state !== 'waiting') nowThere.push(known);
      if (told.state === 'failed' && known.state !== 'failed') nowFailed.push(known);
    } else {
      const { teamId, accountId, externalId, provider, events } = update;
      const name = { id: context.newId(), teamId, accountId, externalId };
      fresh.push({ ...name, provider, createdAt: now, ...beginWith(events), update });
    }
  }
  const inserted = fresh.length > 0 ? await insertRecordings(tx, fresh) : new Set<string>();
  if (changed.length > 0) await updateRecordings(tx, changed);
  const added = fresh.filter(({ id }) => inserted.has(id));
  nowThere.push(...added.filter(({ state }) => state === 'waiting'));
  nowFailed.push(...added.filter(({ state }) => state === 'failed'));
  await queueFetch(context, tx, nowThere, (id) => ({ key: id }));
  for (const failed of nowFailed)
    await context.record(tx, ...(await toRecordingEvent(context, tx, 'recording.failed', failed)));
  return fresh.filter(({ id }) => !inserted.has(id)).map(({ update }) => update);
};
