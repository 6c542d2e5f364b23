import { DatabaseUnavailable, type Queries } from '../../platform/index.ts';
import { type BusinessHours, getTeam } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import {
  type AccountRow,
  getLatestChange,
  listChangedAccounts,
  listLiveAccounts,
  listStillThere,
} from './account-store.ts';
import { listChangedNumbers, listLiveNumbers, listNumbersStillThere, type NumberRow } from './number-store.ts';
import { openAccount } from './open-account.ts';
import { openAnswer, openNumber } from './open-number.ts';
import { createSwitchboardMemory, type SwitchboardMemory } from './switchboard-memory.ts';

const PAGE = 100;

export type TeamHours = { businessHours: BusinessHours | null; timeZone: string };

/** Reads accounts and numbers into the switchboard's memory: everything at first, and then what has changed. */
export const createSwitchboardReader = ({
  database,
  vault,
  clock,
  log,
}: Pick<TelephonyContext, 'database' | 'vault' | 'clock' | 'log'>) => {
  const teams = new Map<string, TeamHours & { readAt: number }>();
  let memory = createSwitchboardMemory();
  let latest = 0;
  let isLoaded = false;

  const readTeam = async (teamId: string): Promise<void> => {
    const team = await getTeam(database, teamId);
    const { businessHours = null, timeZone = 'UTC' } = team ?? {};
    teams.set(teamId, { businessHours, timeZone, readAt: clock.now() });
  };

  const takeAccount = async (row: AccountRow): Promise<void> => {
    if (row.removedAt === null) memory.putAccount(await openAccount(vault, row));
    else memory.forgetAccount(row.id);
  };

  const takeNumber = async (row: NumberRow): Promise<void> => {
    const { id, teamId, accountId } = row;
    if (row.removedAt !== null) return memory.dropLine(id);
    if (!teams.has(teamId)) await readTeam(teamId);
    memory.putLine({
      id,
      teamId,
      accountId,
      number: await openNumber(vault, row),
      answer: await openAnswer(vault, row),
    });
  };

  /** Reads rows page by page. A row that can't be opened doesn't hold up the others. */
  const takeAll = async <Row extends { id: string; change: number }>(
    list: (queries: Queries, after: number, limit: number) => Promise<Row[]>,
    take: (row: Row) => Promise<void>,
    after: number,
  ): Promise<void> => {
    for (let page = await list(database, after, PAGE); page.length > 0; ) {
      for (const row of page)
        await take(row).catch((err) => {
          if (err instanceof DatabaseUnavailable) throw err;
          log.error({ err, id: row.id }, 'a telephony setting cannot be opened');
        });
      page = await list(database, page.at(-1)?.change ?? 0, PAGE);
    }
  };

  /** Forgets accounts or numbers whose rows were deleted. Reading changed rows can't show that a row is gone. */
  const forgetDeleted = async (
    known: string[],
    list: (queries: Queries, ids: readonly string[]) => Promise<string[]>,
    forget: (id: string) => void,
  ): Promise<void> => {
    while (known.length > 0) {
      const page = known.splice(-PAGE);
      const there = new Set(await list(database, page));
      for (const id of page) if (!there.has(id)) forget(id);
    }
  };

  const readChanges = async (): Promise<void> => {
    const { latest: newest } = await getLatestChange(database);
    if (newest === latest) return;
    // Until everything has been read once, each attempt starts with an empty memory, because rows that a failed attempt
    // read may be gone by now.
    if (!isLoaded) memory = createSwitchboardMemory();
    // Reads accounts first, so that every number has its account.
    await takeAll(isLoaded ? listChangedAccounts : listLiveAccounts, takeAccount, latest);
    await takeAll(isLoaded ? listChangedNumbers : listLiveNumbers, takeNumber, latest);
    // Checks `forgotten` only after reading, because rows may be deleted while this reads.
    if (isLoaded && (await getLatestChange(database)).forgotten > latest) {
      await forgetDeleted(memory.listAccountIds(), listStillThere, memory.forgetAccount);
      await forgetDeleted(memory.listLineIds(), listNumbersStillThere, memory.dropLine);
    }
    latest = newest;
  };

  return {
    readTeam,
    getTeam: (teamId: string) => teams.get(teamId),
    get memory(): SwitchboardMemory {
      return memory;
    },
    /** Whether everything has been read once. */
    get isLoaded(): boolean {
      return isLoaded;
    },
    async read(): Promise<void> {
      await readChanges();
      isLoaded = true;
    },
  };
};
