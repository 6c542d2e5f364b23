import { pickText } from './pick.ts';
import type { ErrorSign } from './provider.ts';

/** What a provider said with its refusal. */
export type SaidNo = { status: number; code: string | null; answer: unknown };

const holds = (answer: unknown, path: string, words: string): boolean =>
  (pickText(answer, [path]) ?? '').toLowerCase().includes(words.toLowerCase());

/** Whether everything the sign names is there: the status, the code, and the words at each place. */
export const matchesSign = (sign: ErrorSign, { status, code, answer }: SaidNo): boolean => {
  // A page has a status too, and may come from something in front of the provider.
  if (typeof sign === 'number') return sign === status && typeof answer === 'object' && answer !== null;
  if (typeof sign === 'string') return sign === code;
  return (
    (sign.status === undefined || sign.status === status) &&
    (sign.code === undefined || sign.code === code) &&
    Object.entries(sign.says ?? {}).every(([path, words]) => holds(answer, path, words))
  );
};

export const matchesAny = (signs: readonly ErrorSign[], said: SaidNo): boolean =>
  signs.some((sign) => matchesSign(sign, said));
