import { type Database, toIso } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import { type CountedSpan, countWeek } from './call-figures-store.ts';
import { listNumbers } from './number-store.ts';
import { openNumber } from './open-account.ts';
import { countRefusals } from './refusal-store.ts';
import { listStillWaiting, type WaitingCall } from './waiting-call-store.ts';

export type CallsDependencies = { database: Database; vault: Vault };

/** When it is looked who still waits. */
type AsOf = { asOf: number };

/** So many of those who wait are listed. */
export const MOST_WAITING = 50;

/** Which call waits, and since when. Whose it is stays with the call: see `nameCallers`. */
export const toWaiting = ({ id, startedAt, outcome }: WaitingCall) => ({
  callId: id,
  at: toIso(startedAt),
  outcome: outcome ?? 'unknown',
});

/** The numbers of the team, by the hash that calls name them with. */
export const nameNumbers = async ({ database, vault }: CallsDependencies, teamId: string) => {
  const rows = await listNumbers(database, teamId);
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

const listWaiting = async ({ database }: CallsDependencies, teamId: string, span: CountedSpan & AsOf) => {
  const { total, calls } = await listStillWaiting(database, teamId, span, MOST_WAITING);
  return { total, oldest: calls.map(toWaiting) };
};

/** Everything that a report says of a team's calls in a week, counted from their rows. */
export const countCalls = async (dependencies: CallsDependencies, teamId: string, span: CountedSpan & AsOf) => {
  const { database } = dependencies;
  const [waiting, week, names, refused] = await Promise.all([
    listWaiting(dependencies, teamId, span),
    countWeek(database, teamId, span),
    nameNumbers(dependencies, teamId),
    countRefusals(database, teamId, span),
  ]);
  return { ...week, waiting, names, refused };
};

export type CountedCalls = Awaited<ReturnType<typeof countCalls>>;
