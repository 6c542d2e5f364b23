import { invalidInput } from '../http/index.ts';
import { Type, toIso } from '../platform/index.ts';
import { askOffset, instantsOf } from '../reports/index.ts';

/** A date and time field in a form. May be empty. */
export const LocalTimeText = Type.String({
  pattern: '^([12]\\d{3}-\\d{2}-\\d{2}[T ]\\d{2}:\\d{2}(:\\d{2})?)?$',
  description: 'a date and time like 2026-11-15T09:30',
});

/** An instant as a form field shows it, to the minute. */
export const toLocalTime = (instant: number, timeZone: string): string =>
  toIso(instant + askOffset(instant, timeZone)).slice(0, 'yyyy-mm-ddThh:mm'.length);

/** An entered period. If a local time occurs twice, because the clocks go back, uses the longer period. */
export const periodOf = (entered: { since: string; until: string | undefined }, timeZone: string, now: number) => {
  const find = (path: 'since' | 'until') => {
    const text = (entered[path] ?? '').replace(' ', 'T');
    const wall = Date.parse(`${text}Z`);
    // JavaScript parses some nonexistent days, like February 30, as days of the next month.
    if (Number.isNaN(wall) || !toIso(wall).startsWith(text))
      throw invalidInput([{ path, message: 'is not a valid date and time' }]);
    return instantsOf(wall, timeZone);
  };
  return { since: find('since').earliest, until: entered.until ? find('until').latest : now };
};
