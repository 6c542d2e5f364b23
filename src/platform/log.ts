import { pino } from 'pino';
import { formatLogLine } from './log-line.ts';
import type { Secret } from './secret.ts';

export type Log = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
};

export type LogOptions = {
  level: string;
  /** Known secrets, which are struck out of every line. */
  secrets: readonly Secret[];
  /** Patterns of text that is always secret. */
  shapes: readonly RegExp[];
  /** Prints lines for people at a terminal, instead of JSON. */
  readable?: boolean;
  destination?: { write(line: string): void };
};

const STRUCK = '[secret]';
/** The length from which secrets are struck out. Shorter ones (only in development) match too much ordinary text. */
const LEAST_STRUCK = 8;

/**
 * Logs only these fields of an error, because `pg` and `fetch` attach values from rows and requests to their errors.
 */
const describeError = (error: unknown): object => {
  if (!(error instanceof Error)) return { type: typeof error };
  const code =
    'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : null;
  return { type: error.constructor.name, code, message: error.message, stack: error.stack };
};

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A known secret as it appears in a line of JSON. */
const printedForm = (secret: Secret): string => JSON.stringify(secret.reveal()).slice(1, -1);

const openOutput = (readable: boolean) => {
  const output = pino.destination({ dest: 1, sync: true });
  return readable ? { write: (line: string) => output.write(formatLogLine(line)) } : output;
};

export const createLog = ({ level, secrets, shapes, readable = false, destination }: LogOptions): Log => {
  const known = secrets
    .map(printedForm)
    .filter((form) => form.length >= LEAST_STRUCK)
    // Longest first, because one secret may begin with another, and the first match wins.
    .sort((one, other) => other.length - one.length)
    .map(escapePattern);
  const patterns = [
    // Known secrets come before the shapes, which could match a part of a secret and leave the rest.
    ...(known.length > 0 ? [new RegExp(known.join('|'), 'g')] : []),
    ...shapes,
    /\bBearer\s+[\w.~+/-]{8,}=*/g,
  ];
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError },
      hooks: { streamWrite: (line) => patterns.reduce((text, pattern) => text.replace(pattern, STRUCK), line) },
    },
    destination ?? openOutput(readable),
  );
};
