import type { RecordingFact } from '../contract/call-fact.ts';

/**
 * announced → waiting → archived → removed
 *     └──────→ absent, failed (and from there to waiting, if the recording turns up after all)
 * `waiting`: the recording can be fetched, and a job is doing that. `failed`: it couldn't be made or fetched.
 */
type RecordingState = 'announced' | 'waiting' | 'archived' | 'absent' | 'failed' | 'removed';

/** Everything reported about a recording. */
export type RecordingTold = Omit<RecordingFact, 'recordingId' | 'status'> & {
  toldStatus: RecordingFact['status'];
  state: RecordingState;
};

const RANKS: Readonly<Record<RecordingFact['status'], number>> = {
  in_progress: 0,
  absent: 1,
  failed: 2,
  available: 3,
};
const STATES: Readonly<Record<RecordingFact['status'], RecordingState>> = {
  in_progress: 'announced',
  absent: 'absent',
  failed: 'failed',
  available: 'waiting',
};

export const beginRecording = ({ recordingId: _, status, ...told }: RecordingFact): RecordingTold => ({
  ...told,
  toldStatus: status,
  state: STATES[status],
});

const earlier = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? (left ?? right) : Math.min(left, right);

const greater = <Value extends number | string>(left: Value | null, right: Value | null): Value | null =>
  left === null || right === null ? (left ?? right) : left > right ? left : right;

/**
 * Adds an event to what is known about a recording. The most informative status wins, values don't depend on which
 * event came first, and nothing known is lost.
 */
export const addToRecording = (known: RecordingTold, event: RecordingFact): RecordingTold => {
  const added = beginRecording(event);
  const saysMore = RANKS[event.status] > RANKS[known.toldStatus];
  const [first, second] = saysMore ? [added, known] : [known, added];
  return {
    toldStatus: first.toldStatus,
    state: saysMore ? added.state : known.state,
    callKey: greater(known.callKey, added.callKey),
    startedAt: earlier(known.startedAt, added.startedAt),
    durationMs: greater(known.durationMs, added.durationMs),
    channels: greater(known.channels, added.channels),
    source: greater(known.source, added.source),
    errorCode: greater(known.errorCode, added.errorCode),
    mediaUrl: first.mediaUrl ?? second.mediaUrl,
    mediaExpiresAt: first.mediaExpiresAt ?? second.mediaExpiresAt,
  };
};
