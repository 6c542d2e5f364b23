import { createOutage, DatabaseUnavailable, type Queries, within } from '../../platform/index.ts';
import { type BusinessHours, getTeam } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import type { Answer } from '../contract/answer-settings.ts';
import type { Party } from '../contract/party.ts';
import { notReady } from '../errors.ts';
import type { Account } from './account.ts';
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

/** A change by another process is seen within a second. */
const FRESH_MS = 800;
/** How long a caller waits for fresh settings before the last known ones are used. */
const PATIENCE_MS = 300;
/** After a wait that timed out, no one waits for this long: callers get the last known settings right away. */
const AWAY_MS = 5_000;
const JUST_NOW_MS = 50;
const PAGE = 100;
const MOST_CANDIDATES = 50;
/** Of the accounts without an id, whose secrets are tried one by one. */
const MOST_UNNAMED = 20;

/** A number and how it is answered. Immutable: a change makes a new one. */
type Line = { id: string; teamId: string; accountId: string; number: string; answer: Answer };
type SwitchboardContext = Pick<TelephonyContext, 'database' | 'vault' | 'clock' | 'log'> & {
  settingsPatienceMs?: number | undefined;
};
type TeamHours = { businessHours: BusinessHours | null; timeZone: string };

const keyOf = (accountId: string, { kind, value }: Party): string => `${accountId} ${kind} ${value}`;

const add = <Value>(index: Map<string, Set<Value>>, key: string, value: Value): void => {
  index.set(key, (index.get(key) ?? new Set()).add(value));
};

const byAge = (left: Account, right: Account): number => (left.id < right.id ? -1 : 1);

/** Everything that answering needs, indexed for lookup. */
const createMemory = () => {
  const accounts = new Map<string, Account>();
  const lines = new Map<string, Line>();
  const byParty = new Map<string, Line>();
  const byProvider = new Map<string, Set<Account>>();
  const byExternal = new Map<string, Set<Account>>();
  const byAccount = new Map<string, Set<Line>>();
  /** Read often and changed rarely, so they are sorted once. */
  const named = new Map<string, readonly Account[]>();
  const unnamed = new Map<string, readonly Account[]>();

  const externalKey = ({ provider, accountId }: Account): string => `${provider} ${accountId}`;
  const partyKey = ({ accountId, number }: Line): string => keyOf(accountId, { kind: 'number', value: number });

  const dropAccount = (id: string): void => {
    const known = accounts.get(id);
    if (!known) return;
    byProvider.get(known.provider)?.delete(known);
    unnamed.delete(known.provider);
    byExternal.get(externalKey(known))?.delete(known);
    named.delete(externalKey(known));
    accounts.delete(id);
  };
  const dropLine = (id: string): void => {
    const known = lines.get(id);
    if (!known) return;
    if (byParty.get(partyKey(known)) === known) byParty.delete(partyKey(known));
    byAccount.get(known.accountId)?.delete(known);
    lines.delete(id);
  };

  return {
    accounts,
    lines,
    byParty,
    dropLine,
    /** Also of those that only lines refer to. */
    listAccountIds: (): string[] => [...new Set([...accounts.keys(), ...byAccount.keys()])],
    /** With its lines. */
    forgetAccount(id: string): void {
      for (const line of [...(byAccount.get(id) ?? [])]) dropLine(line.id);
      byAccount.delete(id);
      dropAccount(id);
    },
    accountsOf: (provider: string): Account[] => [...(byProvider.get(provider) ?? [])],
    /** The first ones that were created, so that accounts added later displace nobody. */
    accountsNamed(provider: string, accountId: string): readonly Account[] {
      const key = `${provider} ${accountId}`;
      const all = byExternal.get(key);
      // Names that nobody has aren't remembered: anyone can make them up.
      if (!all || all.size === 0) return [];
      const first = named.get(key) ?? [...all].sort(byAge).slice(0, MOST_CANDIDATES);
      named.set(key, first);
      return first;
    },
    /** The same for those without an id. */
    accountsUnnamed(provider: string): readonly Account[] {
      const known = unnamed.get(provider);
      if (known) return known;
      const first = [...(byProvider.get(provider) ?? [])]
        .filter(({ accountId }) => accountId === null)
        .sort(byAge)
        .slice(0, MOST_UNNAMED);
      unnamed.set(provider, first);
      return first;
    },
    isOnlyOne: (provider: string): boolean => byProvider.get(provider)?.size === 1,
    putAccount(account: Account): void {
      dropAccount(account.id);
      accounts.set(account.id, account);
      add(byProvider, account.provider, account);
      unnamed.delete(account.provider);
      add(byExternal, externalKey(account), account);
      named.delete(externalKey(account));
    },
    putLine(line: Line): void {
      dropLine(line.id);
      lines.set(line.id, line);
      byParty.set(partyKey(line), line);
      add(byAccount, line.accountId, line);
    },
  };
};

/**
 * Every team's accounts, numbers and answering settings, in memory. Calls are answered from here, even while the
 * database is unavailable. Before each answer it checks for changes, unless it just did; the caller waits a little for
 * that, and then gets what is known.
 */
export const createSwitchboard = (context: SwitchboardContext) => {
  const { database, vault, clock, log, settingsPatienceMs = PATIENCE_MS } = context;
  let memory = createMemory();
  const teams = new Map<string, TeamHours & { readAt: number }>();
  let latest = 0;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;
  let loaded = false;
  const outage = createOutage(AWAY_MS);

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

  /** One that can't be opened doesn't hold up the others. */
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

  /** They were removed, and no row says so anymore. */
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

  const check = async (): Promise<void> => {
    const { latest: newest } = await getLatestChange(database);
    if (newest === latest) return;
    // What a failed first look has left may be gone by now, and isn't in use yet.
    if (!loaded) memory = createMemory();
    // In this order, so that every number has its account.
    await takeAll(loaded ? listChangedAccounts : listLiveAccounts, takeAccount, latest);
    await takeAll(loaded ? listChangedNumbers : listLiveNumbers, takeNumber, latest);
    // Only now: a row that was deleted meanwhile hasn't been read.
    if (loaded && (await getLatestChange(database)).forgotten > latest) {
      await forgetDeleted(memory.listAccountIds(), listStillThere, memory.forgetAccount);
      await forgetDeleted([...memory.lines.keys()], listNumbersStillThere, memory.dropLine);
    }
    latest = newest;
  };

  const refresh = (): Promise<void> => {
    checking ??= check()
      .then(() => {
        loaded = true;
      })
      .finally(() => {
        checkedAt = clock.now();
        checking = null;
      });
    return checking;
  };

  const isFresh = (at: number, withinMs = FRESH_MS): boolean => {
    const age = clock.now() - at;
    return age >= 0 && age < withinMs;
  };

  /** Until accounts have been read once, no one is known, so no one may be refused as a stranger. */
  const loadFirst = async (): Promise<void> => {
    await waitALittle(refresh());
    if (!loaded) throw notReady();
  };

  const waitALittle = (work: Promise<void>): Promise<void> => {
    const settled = work.then(outage.end, (err) => {
      log.warn({ err }, 'the database is unavailable; calls are answered with the last known settings');
      outage.begin();
    });
    return within(settingsPatienceMs, settled, { onLate: outage.begin });
  };

  /** Null while the database is unavailable: it is queried, but no one waits for it. */
  const waitUnlessAway = (work: Promise<void>): Promise<void> | null => {
    const waiting = waitALittle(work);
    return outage.isOn() ? null : waiting;
  };

  return {
    /** After a change here, so that it applies immediately. */
    refresh: async (): Promise<void> => {
      await checking?.catch(() => undefined);
      await refresh();
    },
    /** Null if there is nothing to wait for. */
    catchUp(): Promise<void> | null {
      if (!loaded) return loadFirst();
      return isFresh(checkedAt) ? null : waitUnlessAway(refresh());
    },
    /** Before refusing anyone. Null if we just checked: a flood of strangers must not become a flood of queries. */
    lookAgain: (): Promise<void> | null => (isFresh(checkedAt, JUST_NOW_MS) ? null : waitUnlessAway(refresh())),
    /**
     * Who may have sent it: the account our URL names, else those the payload names (the secret decides, so naming
     * another's account gains nothing), else the only one there is.
     */
    findCandidates(provider: string, ourId: string | null, named: string | null): readonly Account[] {
      if (ourId !== null) {
        const account = memory.accounts.get(ourId);
        return account?.provider === provider ? [account] : [];
      }
      const found = named === null ? [] : memory.accountsNamed(provider, named);
      return found.length > 0 || !memory.isOnlyOne(provider) ? found : memory.accountsOf(provider);
    },
    /** Accounts without an id, a few at most: only their secret can tell whether it is theirs. */
    listUnnamed: (provider: string): readonly Account[] => memory.accountsUnnamed(provider),
    listOfProvider: (provider: string): readonly Account[] => memory.accountsOf(provider),
    /** Other accounts of the same team, whose secret may have been used. */
    listNeighbours: ({ id, provider, teamId }: Account): readonly Account[] =>
      memory.accountsOf(provider).filter((account) => account.teamId === teamId && account.id !== id),
    /** By the called number, which is signed; by the one in our URL only if the payload names another. */
    findLine(account: Account, numberId: string | null, called: Party): Line | undefined {
      const line = memory.byParty.get(keyOf(account.id, called)) ?? memory.lines.get(numberId ?? '');
      return line?.accountId === account.id ? line : undefined;
    },
    /** The team's business hours, less than a second old. */
    async hoursOf(teamId: string): Promise<TeamHours> {
      const known = teams.get(teamId);
      if (!known || !isFresh(known.readAt)) await waitUnlessAway(readTeam(teamId));
      return teams.get(teamId) ?? { businessHours: null, timeZone: 'UTC' };
    },
  };
};

export type Switchboard = ReturnType<typeof createSwitchboard>;
