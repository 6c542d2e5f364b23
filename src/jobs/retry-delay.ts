import type { JobDefinition } from './job-definition.ts';

/**
 * Doubles from attempt to attempt up to the most, then takes away up to half: jobs that failed together do not come
 * back together, and a later attempt never waits less than an earlier one.
 */
export const retryDelayMs = (
  { firstRetryMs, mostRetryMs }: Pick<JobDefinition, 'firstRetryMs' | 'mostRetryMs'>,
  attempt: number,
  random = Math.random(),
): number => Math.round(Math.min(mostRetryMs, firstRetryMs * 2 ** (attempt - 1)) * (1 - random / 2));
