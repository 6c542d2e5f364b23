import { pick, pickText } from '../catalogue/pick.ts';
import type { Webhook } from '../catalogue/provider-webhook.ts';
import { toLabel } from '../requests/fetch-holder.ts';
import { parseExactly } from '../requests/parse-exactly.ts';
import { parseInstant } from '../requests/token-response.ts';
import type { Withdrawal } from './withdrawal.ts';

type Message =
  /** A test of whether our URL responds. The provider expects `reply` in the response. */
  | { kind: 'challenge'; reply: Readonly<Record<string, string>> }
  | { kind: 'withdrawal'; withdrawal: Withdrawal }
  /** Any other message, which is ignored. */
  | { kind: 'other' };

const MOST_CHALLENGE_CHARACTERS = 500;
const SECOND_MS = 1_000;
/**
 * How far a provider's clock may be ahead. A message dated in the future could be sent again after a reconnect, and
 * would end the new connection, too.
 */
const MOST_AHEAD_MS = 5 * 60_000;

const parse = (body: Buffer): unknown => {
  try {
    return parseExactly(body.toString('utf8'));
  } catch {
    return null;
  }
};

/** Reads the time of an event. If it has no fraction of a second, the time is rounded up to the end of that second. */
const readTime = (message: unknown, paths: readonly string[], now: number): number | null => {
  const instant = parseInstant(pickText(message, paths));
  if (instant === null || instant > now + MOST_AHEAD_MS) return null;
  return instant % SECOND_MS === 0 ? instant + SECOND_MS - 1 : instant;
};

const listTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item) => pickText(item, ['']) ?? []);

const readWithdrawal = (
  message: unknown,
  { account, at, only = {} }: Webhook['withdrawn'][string],
  now: number,
): Withdrawal | null => {
  const accountId = toLabel(pickText(message, [account]));
  const time = readTime(message, at, now);
  if (accountId === null || time === null) return null;
  const sets = Object.entries(only).map(
    ([name, paths]) => [name, new Set(paths.flatMap((path) => listTexts(pick(message, path))))] as const,
  );
  return { accountId, at: time, only: new Map(sets) };
};

/** Reads a message whose signature was verified. Null if it isn't what the entry describes. */
export const readMessage = (webhook: Webhook, body: Buffer, now: number): Message | null => {
  const { challenge, withdrawn } = webhook;
  const message = parse(body);
  const event = pickText(message, webhook.event);
  if (event === null) return null;
  if (challenge?.event === event) {
    const text = pickText(message, [challenge.echo]);
    const isShort = text !== null && text.length <= MOST_CHALLENGE_CHARACTERS;
    return isShort ? { kind: 'challenge', reply: { [challenge.echo]: text } } : null;
  }
  const meaning = Object.hasOwn(withdrawn, event) ? withdrawn[event] : undefined;
  if (!meaning) return { kind: 'other' };
  const withdrawal = readWithdrawal(message, meaning, now);
  return withdrawal && { kind: 'withdrawal', withdrawal };
};
