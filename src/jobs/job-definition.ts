import type { Static, TObject, TProperties } from 'typebox';
import { findMisfits, Type } from '../platform/index.ts';

export type JobDefinition<Properties extends TProperties = TProperties> = {
  /** `<verb>-<noun>`, like the file that declares it. */
  readonly name: string;
  readonly payload: TObject<Properties>;
  /** How many times the job may be attempted. An attempt is counted when it starts, even if it kills the process. */
  readonly attempts: number;
  readonly firstRetryMs: number;
  readonly mostRetryMs: number;
  /** How many run at once in one process. */
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** Whether the job runs even while the service is paused, because it contacts nobody and is needed then. */
  readonly runsWhilePaused: boolean;
};

export type PayloadOf<Properties extends TProperties> = Static<TObject<Properties>>;

const DEFAULTS = {
  attempts: 8,
  firstRetryMs: 5_000,
  mostRetryMs: 3_600_000,
  concurrency: 5,
  timeoutMs: 60_000,
  runsWhilePaused: false,
};
const NAME = /^[a-z]+(-[a-z0-9]+)+$/;

/** Defines a job's name and payload. Its handler is bound elsewhere, so that enqueuing doesn't need it. */
export const defineJob = <Properties extends TProperties>(
  job: Pick<JobDefinition<Properties>, 'name' | 'payload'> & Partial<JobDefinition<Properties>>,
): JobDefinition<Properties> => {
  if (!NAME.test(job.name)) throw new TypeError(`A job name is <verb>-<noun>, not "${job.name}".`);
  // Refuse unknown fields, so that a payload can't contain anything that its definition doesn't name.
  return { ...DEFAULTS, ...job, payload: Type.Object(job.payload.properties, { additionalProperties: false }) };
};

/** Refuses a payload that doesn't match the definition. The message says where, and never shows values. */
export const parsePayload = <Properties extends TProperties>(
  { name, payload }: JobDefinition<Properties>,
  value: unknown,
): PayloadOf<Properties> => {
  const misfits = findMisfits(payload, value);
  if (misfits.length === 0) return value as PayloadOf<Properties>;
  const places = misfits.map(({ path, message }) => `${path || '/'} ${message}`);
  throw new TypeError(`The payload of ${name} does not match its schema: ${places.join(', ')}.`);
};
