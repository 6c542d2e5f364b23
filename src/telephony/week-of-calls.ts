import type { Database } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import { toCallAnswer } from './call-answer.ts';
import {
  type CallPiece,
  countCallers,
  countRecordings,
  countWithoutEnd,
  listCallPieces,
  listSecondsToAnswer,
  listStillWaiting,
  type Span,
} from './call-figures-store.ts';
import { getCall } from './call-store.ts';
import { listNumbers } from './number-store.ts';
import { openNumber } from './open-account.ts';
import { countRefusals } from './refusal-store.ts';

type Dependencies = { database: Database; vault: Vault };

const MOST_WAITING = 50;

const listWaiting = async ({ database, vault }: Dependencies, teamId: string, ids: readonly string[]) => {
  const rows = await Promise.all(ids.map((id) => getCall(database, teamId, id)));
  return Promise.all(rows.flatMap((row) => (row ? [toCallAnswer(vault, row)] : [])));
};

/** The numbers of the team, by the hash that calls name them with. */
const nameNumbers = async ({ database, vault }: Dependencies, teamId: string) => {
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

/** Everything that a report says of a team's calls in a span of time, counted from their rows. */
export const countCalls = async (dependencies: Dependencies, teamId: string, span: Span, asOf: number) => {
  const { database } = dependencies;
  const pieces = await listCallPieces(database, teamId, span);
  const { total, ids } = await listStillWaiting(database, teamId, span, asOf, MOST_WAITING);
  return {
    pieces,
    secondsToAnswer: await listSecondsToAnswer(database, teamId, span),
    callers: await countCallers(database, teamId, span),
    waiting: { total, calls: await listWaiting(dependencies, teamId, ids) },
    withoutEnd: await countWithoutEnd(database, teamId, span),
    recordings: await countRecordings(database, teamId, span),
    numbers: await nameNumbers(dependencies, teamId),
    refused: await countRefusals(database, teamId, span),
  };
};

export type CountedCalls = Awaited<ReturnType<typeof countCalls>>;

/** Only how many, to compare with. */
export const countPieces = ({ database }: Dependencies, teamId: string, span: Span): Promise<CallPiece[]> =>
  listCallPieces(database, teamId, span);
