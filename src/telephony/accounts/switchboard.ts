import { createOutage, within } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import type { Party } from '../contract/party.ts';
import { notReady } from '../errors.ts';
import type { TelephonyAccount } from './account.ts';
import type { Line } from './switchboard-memory.ts';
import { createSwitchboardReader, type TeamHours } from './switchboard-reader.ts';

/** How long settings are considered fresh, so that another process's change applies within a second. */
const FRESH_MS = 800;
/** How long a caller waits for fresh settings before the last known ones are used. */
const PATIENCE_MS = 300;
/** How long callers get the last known settings without waiting, after the database was too slow once. */
const AWAY_MS = 5_000;
const JUST_NOW_MS = 50;

type SwitchboardContext = Pick<TelephonyContext, 'database' | 'vault' | 'clock' | 'log'> & {
  settingsPatienceMs?: number | undefined;
};

/**
 * Every team's accounts, numbers, and answers, in memory. Calls are answered from here, even while the database is
 * unavailable. Changes are read before each answer, unless that just happened. If reading takes too long, the last
 * known settings are used.
 */
export const createSwitchboard = (context: SwitchboardContext) => {
  const { clock, log, settingsPatienceMs = PATIENCE_MS } = context;
  const reader = createSwitchboardReader(context);
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;
  const outage = createOutage(AWAY_MS);

  const refresh = (): Promise<void> => {
    checking ??= reader.read().finally(() => {
      checkedAt = clock.now();
      checking = null;
    });
    return checking;
  };

  const isFresh = (at: number, withinMs = FRESH_MS): boolean => {
    const age = clock.now() - at;
    return age >= 0 && age < withinMs;
  };

  /**
   * Loads everything for the first time. Until then, no sender is known, so a delivery gets a 503 (`notReady`) instead
   * of being refused as a stranger's.
   */
  const loadFirst = async (): Promise<void> => {
    await waitALittle(refresh());
    if (!reader.isLoaded) throw notReady();
  };

  const waitALittle = (work: Promise<void>): Promise<void> => {
    const settled = work.then(outage.end, (err) => {
      log.warn({ err }, 'the database is unavailable; calls are answered with the last known settings');
      outage.begin();
    });
    return within(settingsPatienceMs, settled, { onLate: outage.begin });
  };

  /** Waits for the database, or returns null while it's unavailable: then the query runs, but no one waits for it. */
  const waitUnlessAway = (work: Promise<void>): Promise<void> | null => {
    const waiting = waitALittle(work);
    return outage.isOn() ? null : waiting;
  };

  return {
    /** Reads a change that was made in this process, so that it applies immediately. */
    refresh: async (): Promise<void> => {
      await checking?.catch(() => undefined);
      await refresh();
    },
    /** Reads changes if settings aren't fresh. Returns null if there is nothing to wait for. */
    catchUp(): Promise<void> | null {
      if (!reader.isLoaded) return loadFirst();
      return isFresh(checkedAt) ? null : waitUnlessAway(refresh());
    },
    /**
     * Reads changes before a delivery is refused, because its account may have been added a moment ago. Returns null if
     * changes were just read, so that a flood of strangers doesn't become a flood of queries.
     */
    lookAgain: (): Promise<void> | null => (isFresh(checkedAt, JUST_NOW_MS) ? null : waitUnlessAway(refresh())),
    /**
     * Lists accounts that may have sent a delivery: the account that our URL names, or else those that the payload
     * names, or else the only account there is. Naming someone else's account gains a sender nothing, because that
     * account's secret has to verify the delivery.
     */
    findCandidates(provider: string, ourId: string | null, named: string | null): readonly TelephonyAccount[] {
      if (ourId !== null) {
        const account = reader.memory.getAccount(ourId);
        return account?.provider === provider ? [account] : [];
      }
      const found = named === null ? [] : reader.memory.accountsNamed(provider, named);
      return found.length > 0 || !reader.memory.isOnlyOne(provider) ? found : reader.memory.accountsOf(provider);
    },
    /** Lists a few accounts without an ID at the provider. Only their secrets can show whose delivery it is. */
    listUnnamed: (provider: string): readonly TelephonyAccount[] => reader.memory.accountsUnnamed(provider),
    listOfProvider: (provider: string): readonly TelephonyAccount[] => reader.memory.accountsOf(provider),
    /** Lists other accounts of the same team, in case the delivery was signed with one of their secrets by mistake. */
    listNeighbours: ({ id, provider, teamId }: TelephonyAccount): readonly TelephonyAccount[] =>
      reader.memory.accountsOf(provider).filter((account) => account.teamId === teamId && account.id !== id),
    /** Finds the line by the called number, which is signed, or else by the number in our URL. */
    findLine(account: TelephonyAccount, numberId: string | null, called: Party): Line | undefined {
      const line = reader.memory.getLineOf(account.id, called) ?? reader.memory.getLine(numberId ?? '');
      return line?.accountId === account.id ? line : undefined;
    },
    /** Returns the team's business hours, usually less than a second old. */
    async hoursOf(teamId: string): Promise<TeamHours> {
      const known = reader.getTeam(teamId);
      if (!known || !isFresh(known.readAt)) await waitUnlessAway(reader.readTeam(teamId));
      return reader.getTeam(teamId) ?? { businessHours: null, timeZone: 'UTC' };
    },
  };
};

export type Switchboard = ReturnType<typeof createSwitchboard>;
