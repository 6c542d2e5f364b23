import { pick, pickText } from '../../catalogue/pick.ts';
import type { WithdrawalRule } from '../../catalogue/webhook/webhook.ts';
import { toLabel } from '../../requests/fetch-holder.ts';
import { parseInstant } from '../../requests/token-response.ts';
import type { Withdrawal } from '../../withdrawals/withdrawal.ts';

const SECOND_MS = 1_000;
/**
 * How far a provider's clock may be ahead. A message dated in the future could be sent again after a reconnect, and
 * would end the new connection, too.
 */
const MOST_AHEAD_MS = 5 * 60_000;

/** Reads the time of an event. If it has no fraction of a second, the time is rounded up to the end of that second. */
const readTime = (content: unknown, paths: readonly string[], now: number): number | null => {
  const instant = parseInstant(pickText(content, paths));
  if (instant === null || instant > now + MOST_AHEAD_MS) return null;
  return instant % SECOND_MS === 0 ? instant + SECOND_MS - 1 : instant;
};

const listTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item) => pickText(item, ['']) ?? []);

/** Reads whose access was withdrawn, and when. Null if the message doesn't say so. */
export const readWithdrawal = (
  content: unknown,
  { account, at, only = {} }: WithdrawalRule,
  now: number,
): Withdrawal | null => {
  const accountId = toLabel(pickText(content, [account]));
  const time = readTime(content, at, now);
  if (accountId === null || time === null) return null;
  const limits = Object.entries(only).map(
    ([name, paths]) => [name, paths.flatMap((path) => listTexts(pick(content, path)))] as const,
  );
  return { accountId, at: time, only: Object.fromEntries(limits) };
};
