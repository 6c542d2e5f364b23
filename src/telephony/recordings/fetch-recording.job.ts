import { defineJob, type EnqueueOptions, type JobContext } from '../../jobs/index.ts';
import { type Transaction, Type } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import { attemptFetch } from './attempt-fetch.ts';
import { countWaiting } from './recording-store.ts';

/**
 * Fetches a recording. Delays double from ten seconds to six hours, so the attempts last about half a day, in case a
 * provider is down that long. The timeout covers the download and the upload to the bucket.
 */
export const fetchRecording = defineJob({
  name: 'fetch-recording',
  payload: Type.Object({ teamId: Type.String(), recordingId: Type.String() }),
  attempts: 14,
  firstRetryMs: 10_000,
  mostRetryMs: 6 * 3_600_000,
  concurrency: 8,
  timeoutMs: 21 * 60_000,
});

/** Limit up to which waiting recordings are counted. A team with more is last anyway. */
const MOST_COUNTED = 1_000;

/** Queues recordings to be fetched. Teams take turns: those with more waiting recordings go behind those with fewer. */
export const queueFetch = async (
  { jobs }: Pick<TelephonyContext, 'jobs'>,
  tx: Transaction,
  recordings: readonly { teamId: string; id: string }[],
  options: (id: string) => Pick<EnqueueOptions, 'key' | 'delayMs'>,
): Promise<void> => {
  const waiting = new Map<string, number>();
  for (const { teamId, id } of recordings) {
    const behind = waiting.get(teamId) ?? (await countWaiting(tx, teamId, MOST_COUNTED));
    waiting.set(teamId, behind + 1);
    await jobs.enqueue(tx, fetchRecording, { teamId, recordingId: id }, { behind, ...options(id) });
  }
};

export const handleFetchRecording =
  (context: TelephonyContext) =>
  async (
    { teamId, recordingId }: { teamId: string; recordingId: string },
    { attempt, signal }: Pick<JobContext, 'attempt' | 'signal'>,
  ): Promise<void> => {
    const lastAttempt = attempt >= fetchRecording.attempts;
    const next = await attemptFetch(context, { teamId, recordingId, lastAttempt, signal });
    if (next === null) return;
    if (next.delayMs === null) throw new Error(next.problem);
    const { delayMs } = next;
    await context.database.transaction((tx) =>
      queueFetch(context, tx, [{ teamId, id: recordingId }], () => ({ delayMs })),
    );
  };
