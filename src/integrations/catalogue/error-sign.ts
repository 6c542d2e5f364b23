import { pick, pickText } from './pick.ts';
import type { ErrorSign } from './provider.ts';

/** A provider's response that doesn't contain what we requested. */
export type RefusedResponse = { status: number; code: string | null; body: unknown };

/** Whether the text at a path contains these words. A number has to be equal: 105 doesn't contain 10. */
const holds = (body: unknown, path: string, words: string): boolean => {
  const said = pickText(body, [path]) ?? '';
  return typeof pick(body, path) === 'number' ? said === words : said.toLowerCase().includes(words.toLowerCase());
};

/** Whether everything in the sign matches: the status, the code, and the words at each path. */
export const matchesSign = (sign: ErrorSign, { status, code, body }: RefusedResponse): boolean => {
  // Require JSON. An HTML page with this status may come from a proxy in front of the provider.
  if (typeof sign === 'number') return sign === status && typeof body === 'object' && body !== null;
  if (typeof sign === 'string') return sign === code;
  return (
    (sign.status === undefined || sign.status === status) &&
    (sign.code === undefined || sign.code === code) &&
    Object.entries(sign.says ?? {}).every(([path, words]) => holds(body, path, words))
  );
};

export const matchesAny = (signs: readonly ErrorSign[], response: RefusedResponse): boolean =>
  signs.some((sign) => matchesSign(sign, response));
