import type { RecordingFact, TranscriptFact } from '../../contract/call-fact.ts';
import type { MarkupParams } from '../../markup/params.ts';
import { toRecording, toTranscript } from '../../provider-parts/facts.ts';
import { LONGEST_MS } from '../../provider-parts/values.ts';

const EARLIEST = Date.UTC(2010, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

const numberIn = (text: string | undefined, least: number, most: number): number | null => {
  const value = Number(text);
  return text && value >= least && value <= most ? Math.round(value) : null;
};

/** Returns a duration in seconds, or null if it's missing or absurd. */
export const secondsOf = (params: MarkupParams, name: string): number | null =>
  numberIn(params.get(name), 0, LONGEST_MS / 1_000);

/** Returns the length of a recording in milliseconds. */
export const recordedMsOf = (params: MarkupParams): number | null => {
  const seconds = secondsOf(params, 'RecordingDuration');
  return numberIn(params.get('RecordingDurationMs'), 0, LONGEST_MS) ?? (seconds === null ? null : seconds * 1_000);
};

/** Whether a recording has just begun, which is reported with a duration of -1 (docs: "Record"; seen November 2026). */
const hasJustBegun = (params: MarkupParams): boolean => Number(params.get('RecordingDuration')) < 0;

/**
 * Reads what a delivery says about a recording. Its end is reported twice: on the voice route when it stops, and on the
 * recording route when the file is available. Only the first is sure to name the call (docs: "Record"; seen November
 * 2026).
 */
export const recordingsOf = (
  params: MarkupParams,
  { route, callKey }: { route: 'voice' | 'recording'; callKey: string | null },
): RecordingFact[] => {
  const recordingId = params.get('RecordingID');
  if (!recordingId) return [];
  const mediaUrl = params.get('RecordUrl') || params.get('RecordFile') || null;
  const isThere = route === 'recording' && mediaUrl !== null && !hasJustBegun(params);
  return [
    toRecording({
      recordingId,
      status: isThere ? 'available' : 'in_progress',
      callKey,
      startedAt: numberIn(params.get('RecordingStartMs'), EARLIEST, LATEST),
      durationMs: recordedMsOf(params),
      mediaUrl,
    }),
  ];
};

/**
 * Reads the text of a recording. Its parameters are written unlike all others (docs: "Record", parameters sent to the
 * transcription URL; seen November 2026).
 */
export const transcriptsOf = (params: MarkupParams): TranscriptFact[] => {
  const recordingId = params.get('recording_id');
  if (!recordingId || !params.has('transcription')) return [];
  const status = params.get('error') ? 'failed' : 'ready';
  const callKey = params.get('call_uuid') || null;
  return [toTranscript({ recordingId, status, callKey, text: params.get('transcription') ?? null })];
};
