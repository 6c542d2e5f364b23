import { rm } from 'node:fs/promises';
import type { TelephonyAccount } from '../accounts/account.ts';
import { getAccount } from '../accounts/account-store.ts';
import { openAccount } from '../accounts/open-account.ts';
import { newIncomingFile } from '../audio/incoming-files.ts';
import { ROOM_AGAIN } from '../budget/full-teams.ts';
import { getRecordingBytes, takeRecordingBytes } from '../budget/recording-bytes-store.ts';
import type { TelephonyContext } from '../context.ts';
import { recordingKey } from '../contract/recording-storage.ts';
import { aimMediaRequest } from './aim-media-request.ts';
import { beginTranscript } from './begin-transcript.ts';
import { type Downloaded, downloadRecording } from './download-recording.ts';
import {
  ACCOUNT_REMOVED,
  type FetchFailure,
  LINK_ENDED,
  missingFailure,
  NOT_KEPT,
  noRoomFailure,
} from './fetch-failure.ts';
import { openMediaUrl } from './media-url.ts';
import { toRecordingEvent } from './recording-event.ts';
import {
  getRecording,
  isErasedRecording,
  markArchived,
  type RecordingRow,
  setRecordingProblem,
} from './recording-store.ts';
import { removeRecording } from './remove-recording.job.ts';

/** Delay between attempts while a link with an expiry is valid. */
const SOON_MS = 10_000;
/** Limits of the delay while someone has to act first. The delay is as long as the recording has waited so far. */
const LEAST_WAIT_MS = 10 * 60_000;
const MOST_WAIT_MS = 6 * 3_600_000;
const GIVEN_UP_AFTER_MS = 30 * 24 * 3_600_000;

const OUR_FAULT = { problem: 'Something went wrong in Patchbay while fetching the recording.', final: true };

type Attempt = { teamId: string; recordingId: string; lastAttempt: boolean; signal: AbortSignal };

/** When to try again. `delayMs` is null to use the job's own delays. */
type Next = { problem: string; delayMs: number | null };

/** The team's recordings have reached their limit. Thrown to roll back the transaction that archives another one. */
class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

const hasRoom = async ({ database, limits, fullTeams }: TelephonyContext, teamId: string): Promise<boolean> => {
  const bytes = await getRecordingBytes(database, teamId);
  if (bytes < limits.recordingBytes * ROOM_AGAIN) fullTeams.remove('recordings', teamId);
  return bytes < limits.recordingBytes;
};

const noRoom = ({ limits, fullTeams }: TelephonyContext, teamId: string): FetchFailure => {
  fullTeams.add('recordings', teamId);
  return noRoomFailure(limits.recordingBytes);
};

/** Stores the audio, and only then marks the recording as archived. Returns null if there is nothing more to do. */
const archive = async (
  context: TelephonyContext,
  recording: RecordingRow,
  account: TelephonyAccount,
  { fetchedFrom, contentType, bytes, sha256, file }: Downloaded,
  signal: AbortSignal,
): Promise<FetchFailure | null> => {
  const { database, clock, log, limits, storage, jobs, record, sealed } = context;
  const { teamId, id } = recording;
  const key = recordingKey(recording);
  if (isErasedRecording(await getRecording(database, teamId, id))) return null;
  try {
    await storage.put(key, file, signal);
  } catch (err) {
    if (signal.aborted) throw err;
    log.error({ err, recording: id }, 'a recording could not be stored');
    return NOT_KEPT;
  }
  const keepsAddress = account.removesArchived;
  const archived = { fetchedFrom, contentType, bytes, sha256, sealed, keepsAddress, now: clock.now() };
  const put = database.transaction(async (tx) => {
    if ((await markArchived(tx, teamId, id, archived)) === 0) return null;
    if (!(await takeRecordingBytes(tx, teamId, bytes, limits.recordingBytes))) throw new NoRoom();
    await beginTranscript(context, tx, recording);
    if (account.removesArchived) await jobs.enqueue(tx, removeRecording, { teamId, recordingId: id }, { key: id });
    await record(tx, ...(await toRecordingEvent(context, tx, 'recording.ready', recording)));
    return 'archived';
  });
  const outcome = await put.catch((error) => {
    if (error instanceof NoRoom) return noRoom(context, teamId);
    throw error;
  });
  if (outcome === 'archived') return null;
  // The recording may have been erased meanwhile, so its audio is removed. If another process archived it, the audio
  // stays.
  const found = await getRecording(database, teamId, id);
  if (isErasedRecording(found) || found?.state !== 'archived') await storage.remove(key);
  return outcome;
};

const tryOnce = async (
  context: TelephonyContext,
  recording: RecordingRow,
  signal: AbortSignal,
): Promise<FetchFailure | null> => {
  const { database, vault, clock, log, providers, recordingsFolder } = context;
  const { teamId, accountId, externalId, mediaExpiresAt } = recording;
  if (mediaExpiresAt !== null && mediaExpiresAt <= clock.now()) return LINK_ENDED;
  if (!(await hasRoom(context, teamId))) return noRoom(context, teamId);
  const row = await getAccount(database, teamId, accountId);
  if (!row) return ACCOUNT_REMOVED;
  const provider = providers.find(({ id }) => id === recording.provider);
  if (!provider) throw new Error("A recording's provider no longer exists.");
  const account = await openAccount(vault, row);
  const locator = { recordingId: externalId, mediaUrl: await openMediaUrl(vault, recording) };
  const media = await provider.mediaOf(locator, account);
  if ('missing' in media) return missingFailure(media.missing);
  const path = await newIncomingFile(recordingsFolder).catch((err) => {
    log.error({ err }, 'recordings cannot be written');
    return null;
  });
  if (path === null) return NOT_KEPT;
  try {
    const aimed = aimMediaRequest(context, media, account);
    const fetched = await downloadRecording(context, recording, aimed, { path, signal });
    return 'problem' in fetched ? fetched : await archive(context, recording, account, fetched, signal);
  } finally {
    await rm(path, { force: true });
  }
};

const clamp = (ms: number): number => Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, ms));

/** Decides when to try again. Returns null if there will be no further attempt. */
const decideNext = (
  { createdAt, mediaExpiresAt }: RecordingRow,
  { problem, outlook }: FetchFailure,
  { now, lastAttempt }: { now: number; lastAttempt: boolean },
): Next | null => {
  if (outlook === 'final') return null;
  if (mediaExpiresAt !== null) return { problem, delayMs: SOON_MS };
  if (outlook === 'again') return lastAttempt ? null : { problem, delayMs: null };
  const waited = now - createdAt;
  if (waited >= GIVEN_UP_AFTER_MS) return null;
  return { problem, delayMs: outlook === 'unset' ? LEAST_WAIT_MS : clamp(waited) };
};

/** Stores why a recording isn't here. `final`: nobody will try again. */
const writeProblem = (
  context: TelephonyContext,
  recording: RecordingRow,
  told: { problem: string; final: boolean },
): Promise<void> =>
  context.database.transaction(async (tx) => {
    const written = await setRecordingProblem(tx, recording.teamId, recording.id, told);
    if (written > 0 && told.final)
      await context.record(tx, ...(await toRecordingEvent(context, tx, 'recording.failed', recording)));
  });

/**
 * Fetches and stores one recording. Safe to repeat: an archived recording isn't fetched again. Returns when the next
 * attempt is due, or null if there is none.
 */
export const attemptFetch = async (
  context: TelephonyContext,
  { teamId, recordingId, lastAttempt, signal }: Attempt,
): Promise<Next | null> => {
  const { database, clock, log, storage } = context;
  const recording = await getRecording(database, teamId, recordingId);
  // An earlier attempt may have stored the audio of an erased recording and failed to remove it.
  if (isErasedRecording(recording)) await storage.remove(recordingKey({ teamId, id: recordingId }));
  if (recording?.state !== 'waiting') return null;
  const failure = await tryOnce(context, recording, signal).catch(async (error) => {
    // No attempt follows the last one, so the recording has failed, whatever the cause.
    if (lastAttempt && !signal.aborted) await writeProblem(context, recording, OUR_FAULT);
    throw error;
  });
  if (!failure) return null;
  const next = decideNext(recording, failure, { now: clock.now(), lastAttempt });
  await writeProblem(context, recording, { problem: failure.problem, final: next === null });
  if (next === null)
    log.warn({ recording: recordingId, provider: recording.provider }, 'a recording could not be fetched');
  return next;
};
