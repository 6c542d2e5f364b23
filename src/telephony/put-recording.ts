import type { Jobs } from '../jobs/index.ts';
import type { Clock, NewId, Transaction } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import type { RecordingEvent } from './call-event.ts';
import type { DeliveryRow } from './delivery-store.ts';
import { fetchRecording } from './fetch-recording.job.ts';
import { sealMediaUrl } from './media-url.ts';
import { addToRecording, beginRecording } from './recording.ts';
import { insertRecording, lockRecording, updateTold } from './recording-store.ts';

export type PutRecordingDependencies = { vault: Vault; clock: Clock; newId: NewId; jobs: Pick<Jobs, 'enqueue'> };

type Row = Pick<DeliveryRow, 'teamId' | 'accountId' | 'provider'>;

/** The address in the payload is sealed before the transaction begins. */
export type SealedRecording = { event: RecordingEvent };

export const sealRecording = async (
  { vault }: { vault: Vault },
  { teamId, accountId }: Row,
  event: RecordingEvent,
): Promise<SealedRecording> => ({
  event: {
    ...event,
    mediaUrl:
      event.mediaUrl === null
        ? null
        : await sealMediaUrl(vault, { teamId, accountId, externalId: event.recordingId }, event.mediaUrl),
  },
});

/** Adds what a delivery tells of a recording; once it is told to be there, a job fetches it. */
export const putRecording = async (
  { clock, newId, jobs }: PutRecordingDependencies,
  tx: Transaction,
  { teamId, accountId, provider }: Row,
  { event }: SealedRecording,
): Promise<void> => {
  const externalId = event.recordingId;
  const begun = beginRecording(event);
  const fresh = { id: newId(), teamId, accountId, provider, externalId, createdAt: clock.now(), ...begun };
  const inserted = await insertRecording(tx, fresh);
  const known = await lockRecording(tx, teamId, accountId, externalId);
  if (!known) throw new Error('A recording is of another team than its account.');
  const told = inserted === 1 ? begun : addToRecording(known, event);
  if (inserted === 0) await updateTold(tx, teamId, known.id, told);
  const isNowThere = told.state === 'waiting' && (inserted === 1 || known.state !== 'waiting');
  if (isNowThere) await jobs.enqueue(tx, fetchRecording, { teamId, recordingId: known.id }, { key: known.id });
};
