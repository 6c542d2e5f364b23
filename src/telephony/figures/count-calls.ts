import { toIso } from '../../platform/index.ts';
import { listNumberNames } from '../accounts/number-store.ts';
import { openNumber } from '../accounts/open-number.ts';
import type { TelephonyContext } from '../context.ts';
import { type CountedSpan, countWeek, type WaitingCall } from './call-figures-store.ts';

/** How many waiting calls are listed. */
export const MOST_WAITING = 50;

/** Shows which call is waiting, and since when. The caller isn't included: see `nameCallers`. */
export const toWaiting = ({ id, startedAt, outcome }: WaitingCall) => ({
  callId: id,
  at: toIso(startedAt),
  outcome: outcome ?? 'unknown',
});

/** Lists the team's numbers by the hash that is stored with calls. */
export const nameNumbers = async (
  { database, vault }: Pick<TelephonyContext, 'database' | 'vault'>,
  teamId: string,
) => {
  const rows = await listNumberNames(database, teamId);
  return new Map(
    await Promise.all(
      rows.map(async (row) => {
        const number = await openNumber(vault, row);
        const hash = await vault.hash(teamId, `number ${number}`);
        return [hash, { number, label: row.label }] as const;
      }),
    ),
  );
};

export type NamedNumbers = Awaited<ReturnType<typeof nameNumbers>>;

/** Counts everything that a report says about a team's calls in a week. */
export const countCalls = async (
  context: Pick<TelephonyContext, 'database' | 'vault'>,
  teamId: string,
  span: CountedSpan,
  { withDemo = false }: { withDemo?: boolean } = {},
) => {
  const [{ waiting, ...week }, names] = await Promise.all([
    countWeek(context.database, teamId, span, { mostWaiting: MOST_WAITING, withDemo }),
    nameNumbers(context, teamId),
  ]);
  return { ...week, waiting: { ...waiting, oldest: waiting.oldest.map(toWaiting) }, names };
};

export type CountedCalls = Awaited<ReturnType<typeof countCalls>>;
