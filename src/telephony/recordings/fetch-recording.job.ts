import { defineJob, type JobContext } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { type FetchRecordingDependencies, fetchRecordingNow } from './fetch-recording.ts';

/**
 * Doubling from ten seconds to six hours, these attempts go on for about half a day: that long a provider may be away.
 * The time of one is that of the download and of the way to the bucket.
 */
export const fetchRecording = defineJob({
  name: 'fetch-recording',
  payload: Type.Object({ teamId: Type.String(), recordingId: Type.String() }),
  attempts: 14,
  firstRetryMs: 10_000,
  mostRetryMs: 6 * 3_600_000,
  concurrency: 4,
  timeoutMs: 21 * 60_000,
});

export const handleFetchRecording =
  (dependencies: FetchRecordingDependencies) =>
  async (
    { teamId, recordingId }: { teamId: string; recordingId: string },
    { attempt, signal }: Pick<JobContext, 'attempt' | 'signal'>,
  ): Promise<void> => {
    const lastAttempt = attempt >= fetchRecording.attempts;
    const next = await fetchRecordingNow(dependencies, { teamId, recordingId, lastAttempt, signal });
    if (next === null) return;
    if (next.delayMs === null) throw new Error(next.problem);
    const { database, jobs } = dependencies;
    const { delayMs } = next;
    await database.transaction((tx) => jobs.enqueue(tx, fetchRecording, { teamId, recordingId }, { delayMs }));
  };
