import { Refusal } from '../platform/index.ts';

/** Why something isn't imported: a code for programs, and a sentence for people. Never contains a secret. */
export type Reason = { code: string; message: string };

export const reason = (code: string, message: string): Reason => ({ code: `imports.${code}`, message });

export const isReason = (value: object): value is Reason => 'code' in value && 'message' in value;

const toSentence = ({ message, errors = [] }: Refusal): string => {
  const details = errors.map(({ path, message: what }) => `${path} ${what}`);
  return details.length === 0 ? message : `${message.replace(/ See "errors"\.$/, '')} ${details.join('; ')}.`;
};

/** Turns a refusal from another part of the service into a reason. Rethrows any other error, which ends the import. */
export const toReason = (error: unknown): Reason => {
  if (!(error instanceof Refusal)) throw error;
  return { code: error.code, message: toSentence(error) };
};
