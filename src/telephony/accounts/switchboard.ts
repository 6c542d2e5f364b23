import { createOutage, within } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import type { Party } from '../contract/party.ts';
import { notReady } from '../errors.ts';
import type { TelephonyAccount } from './account.ts';
import type { Line } from './switchboard-memory.ts';
import { createSwitchboardReader, type TeamHours } from './switchboard-reader.ts';

/** A change by another process is seen within a second. */
const FRESH_MS = 800;
/** How long a caller waits for fresh settings before the last known ones are used. */
const PATIENCE_MS = 300;
/** After a wait that timed out, no one waits for this long: callers get the last known settings right away. */
const AWAY_MS = 5_000;
const JUST_NOW_MS = 50;

type SwitchboardContext = Pick<TelephonyContext, 'database' | 'vault' | 'clock' | 'log'> & {
  settingsPatienceMs?: number | undefined;
};

/**
 * Every team's accounts, numbers and answering settings, in memory. Calls are answered from here, even while the
 * database is unavailable. Before each answer it checks for changes, unless it just did; the caller waits a little for
 * that, and then gets what is known.
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

  /** Until accounts have been read once, no one is known, so no one may be refused as a stranger. */
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
      if (!reader.isLoaded) return loadFirst();
      return isFresh(checkedAt) ? null : waitUnlessAway(refresh());
    },
    /** Before refusing anyone. Null if we just checked: a flood of strangers must not become a flood of queries. */
    lookAgain: (): Promise<void> | null => (isFresh(checkedAt, JUST_NOW_MS) ? null : waitUnlessAway(refresh())),
    /**
     * Who may have sent it: the account our URL names, else those the payload names (the secret decides, so naming
     * another's account gains nothing), else the only one there is.
     */
    findCandidates(provider: string, ourId: string | null, named: string | null): readonly TelephonyAccount[] {
      if (ourId !== null) {
        const account = reader.memory.getAccount(ourId);
        return account?.provider === provider ? [account] : [];
      }
      const found = named === null ? [] : reader.memory.accountsNamed(provider, named);
      return found.length > 0 || !reader.memory.isOnlyOne(provider) ? found : reader.memory.accountsOf(provider);
    },
    /** Accounts without an id, a few at most: only their secret can tell whether it is theirs. */
    listUnnamed: (provider: string): readonly TelephonyAccount[] => reader.memory.accountsUnnamed(provider),
    listOfProvider: (provider: string): readonly TelephonyAccount[] => reader.memory.accountsOf(provider),
    /** Other accounts of the same team, whose secret may have been used. */
    listNeighbours: ({ id, provider, teamId }: TelephonyAccount): readonly TelephonyAccount[] =>
      reader.memory.accountsOf(provider).filter((account) => account.teamId === teamId && account.id !== id),
    /** By the called number, which is signed; by the one in our URL only if the payload names another. */
    findLine(account: TelephonyAccount, numberId: string | null, called: Party): Line | undefined {
      const line = reader.memory.getLineOf(account.id, called) ?? reader.memory.getLine(numberId ?? '');
      return line?.accountId === account.id ? line : undefined;
    },
    /** The team's business hours, less than a second old. */
    async hoursOf(teamId: string): Promise<TeamHours> {
      const known = reader.getTeam(teamId);
      if (!known || !isFresh(known.readAt)) await waitUnlessAway(reader.readTeam(teamId));
      return reader.getTeam(teamId) ?? { businessHours: null, timeZone: 'UTC' };
    },
  };
};

export type Switchboard = ReturnType<typeof createSwitchboard>;
