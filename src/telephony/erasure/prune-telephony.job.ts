import { closeCallAlerts, eraseAbout } from '../../events/index.ts';
import { defineJob, type JobContext } from '../../jobs/index.ts';
import { type Transaction, Type } from '../../platform/index.ts';
import { listRetentionsAfter, recordAudit, SERVICE } from '../../teams/index.ts';
import { deleteHeldBefore } from '../accounts/held-store.ts';
import { deleteRefusalsBefore, REFUSALS_KEPT_MS } from '../accounts/refusal-store.ts';
import { deleteAudioToRemove, listAudioToRemove } from '../audio/audio-to-remove-store.ts';
import { removeLeftovers } from '../audio/incoming-files.ts';
import { deletePayloadDaysBefore } from '../budget/payload-bytes-store.ts';
import { dayOf } from '../budget/payload-counts.ts';
import { giveBackRecordingBytes } from '../budget/recording-bytes-store.ts';
import type { TelephonyContext } from '../context.ts';
import { recordingKey } from '../contract/recording-storage.ts';
import { erasePayloadsBefore } from '../processing/delivery-store.ts';
import { deleteErasedCallsBefore } from '../processing/erased-call-store.ts';
import {
  findCallOfRecording,
  listArchivedBefore,
  markRemoved,
  type RecordingRow,
} from '../recordings/recording-store.ts';
import { deleteTranscript, failTranscriptsBefore, listStrayTranscripts } from '../transcripts/transcript-store.ts';
import { pruneRemoved } from './prune-removed.ts';
import { rekeyDeliveries } from './rekey-deliveries.ts';

export const PRUNE_TELEPHONY_EVERY_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;
const HELD_MS = 7 * DAY_MS;
/** How long deliveries about erased calls are refused. No provider reports on a call for longer. */
export const ERASED_CALLS_KEPT_MS = 30 * DAY_MS;
const ERASED_CALLS_PAGE = 200;
/** Age of an incomplete download at which it is considered abandoned, because no download takes this long. */
const LEFTOVER_MS = 3_600_000;
/** How long a transcript may wait. A server that's away is asked for a day. */
const TRANSCRIPT_MS = 3 * DAY_MS;
const TEAMS_PAGE = 200;
const RECORDINGS_PAGE = 100;
const PAYLOADS_PAGE = 100;

/** Removes expired data. A failed run isn't retried, because the next one does what is left. */
export const pruneTelephony = defineJob({
  name: 'prune-telephony',
  payload: Type.Object({}),
  attempts: 1,
  timeoutMs: 30 * 60_000,
});

/** Removes a transcript, and the events that contain its text. */
const removeTranscript = async (tx: Transaction, teamId: string, recordingId: string): Promise<void> => {
  if ((await deleteTranscript(tx, { teamId, recordingId })) > 0) await eraseAbout(tx, teamId, [recordingId]);
};

/** Removes an expired recording. The audio goes first, so that a row never says too early that its audio is gone. */
const removeOld = async (context: TelephonyContext, recording: RecordingRow, days: number): Promise<void> => {
  const { database, clock, storage } = context;
  const { teamId, id, bytes } = recording;
  await storage.remove(recordingKey(recording));
  await database.transaction(async (tx) => {
    if ((await markRemoved(tx, teamId, id, clock.now())) === 0) return;
    await giveBackRecordingBytes(tx, teamId, bytes ?? 0);
    await removeTranscript(tx, teamId, id);
    const callId = await findCallOfRecording(tx, recording);
    // Closes alerts about the call, because they ask to listen to the recording.
    if (callId !== null) await closeCallAlerts(tx, teamId, [callId]);
    const detail = { reason: 'retention', days };
    await recordAudit(context, tx, teamId, SERVICE, { action: 'recording.remove', target: id, detail });
  });
};

const removeOldRecordings = async (
  context: TelephonyContext,
  { teamId, days, now, signal }: { teamId: string; days: number; now: number; signal: AbortSignal },
): Promise<void> => {
  const { database, log } = context;
  const before = now - days * DAY_MS;
  for (;;) {
    const page = await listArchivedBefore(database, teamId, before, RECORDINGS_PAGE);
    let failed = 0;
    for (const recording of page) {
      signal.throwIfAborted();
      await removeOld(context, recording, days).catch((err) => {
        failed++;
        log.error({ err, recording: recording.id }, 'an expired recording could not be removed');
      });
    }
    // Recordings that couldn't be removed would be listed again, so they are left to the next run.
    if (page.length < RECORDINGS_PAGE || failed > 0) return;
  }
};

/** Removes old transcripts of recordings that aren't archived, because nothing else would. */
const removeStrayTranscripts = async (
  { database }: TelephonyContext,
  { teamId, before, signal }: { teamId: string; before: number; signal: AbortSignal },
): Promise<void> => {
  const listPage = () => listStrayTranscripts(database, teamId, before, RECORDINGS_PAGE);
  for (let page = await listPage(); page.length > 0; page = await listPage()) {
    signal.throwIfAborted();
    await database.transaction(async (tx) => {
      for (const { recordingId } of page) await removeTranscript(tx, teamId, recordingId);
    });
  }
};

/** Removes audio of erased teams that is still in the storage. The first failure ends this run. */
const removeListedAudio = async ({ database, storage, log }: TelephonyContext, signal: AbortSignal): Promise<void> => {
  const listPage = () => listAudioToRemove(database, RECORDINGS_PAGE);
  try {
    for (let page = await listPage(); page.length > 0; page = await listPage())
      for (const key of page) {
        signal.throwIfAborted();
        await storage.remove(key);
        await deleteAudioToRemove(database, key);
      }
  } catch (err) {
    signal.throwIfAborted();
    log.error({ err }, 'audio of deleted teams could not be removed yet');
  }
};

/** Removes what is past its retention. */
export const handlePruneTelephony =
  (context: TelephonyContext) =>
  async (_payload: object, { signal }: Pick<JobContext, 'signal'>): Promise<void> => {
    const { database, clock, log, recordingsFolder } = context;
    const now = clock.now();
    await deleteHeldBefore(database, now - HELD_MS);
    await deleteRefusalsBefore(database, now - REFUSALS_KEPT_MS);
    const forgetErased = () => deleteErasedCallsBefore(database, now - ERASED_CALLS_KEPT_MS, ERASED_CALLS_PAGE);
    while ((await forgetErased()) === ERASED_CALLS_PAGE) signal.throwIfAborted();
    await failTranscriptsBefore(database, now - TRANSCRIPT_MS, now);
    await pruneRemoved(context, now, signal);
    await removeListedAudio(context, signal);
    const leftovers = await removeLeftovers(recordingsFolder, now - LEFTOVER_MS);
    if (leftovers > 0) log.info({ leftovers }, 'removed incomplete recordings');
    let page = await listRetentionsAfter(database, '', TEAMS_PAGE);
    while (page.length > 0) {
      for (const { teamId, recordingDays: days, payloadDays } of page) {
        signal.throwIfAborted();
        const before = now - payloadDays * DAY_MS;
        // Erases a page at a time, so that a new delivery, for which a caller is waiting, can be stored in between.
        while ((await erasePayloadsBefore(database, teamId, before, PAYLOADS_PAGE)) === PAYLOADS_PAGE)
          signal.throwIfAborted();
        await deletePayloadDaysBefore(database, teamId, dayOf(before));
        if (days === null) continue;
        await removeOldRecordings(context, { teamId, days, now, signal });
        await removeStrayTranscripts(context, { teamId, before: now - days * DAY_MS, signal });
      }
      page = await listRetentionsAfter(database, page.at(-1)?.teamId ?? '', TEAMS_PAGE);
    }
    await rekeyDeliveries(context, signal);
  };
