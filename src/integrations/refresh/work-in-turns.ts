import type { ConnectionKey } from '../connections/connection.ts';

const AT_ONCE = 8;
/** A provider that doesn't respond holds up only its own connections. */
const AT_ONCE_PER_PROVIDER = 3;
/** However many connections a team has, and however slow they are, other teams have their turn at the same time. */
const AT_ONCE_PER_TEAM = 2;
const FEW_PER_TEAM = 6;
/** How many of a provider's connections are looked up together. */
const PAGE = 60;
const WORK_MS = 45_000;

type Turns = {
  /** Lists the providers that may have due connections. */
  listProviders(): Promise<string[]>;
  /** Lists a provider's due connections, the longest due first. */
  listDue(provider: string, limit: number): Promise<ConnectionKey[]>;
  /** Does the work for one connection. Must not reject. */
  work(key: ConnectionKey): Promise<void>;
};

const toText = ({ teamId, name }: ConnectionKey): string => `${teamId} ${name}`;

/** Picks the first few connections of each team, in the same order. */
const pickFew = (due: readonly ConnectionKey[]): ConnectionKey[] => {
  const counts = new Map<string, number>();
  return due.filter(({ teamId }) => {
    const count = (counts.get(teamId) ?? 0) + 1;
    counts.set(teamId, count);
    return count <= FEW_PER_TEAM;
  });
};

/** The due connections of one provider, in the order of their turns, each of them once. */
const createDueConnections = ({ listDue }: Turns, provider: string) => {
  // Connections that were tried in this run. If one is still due, it waits for the next run, so that no provider is
  // hammered.
  const tried = new Set<string>();
  let fresh: ConnectionKey[] = [];
  let looking: Promise<void> | null = null;
  let isOver = false;

  /**
   * Finds the longest-due connections that weren't tried yet, a few of each team. Looks further if one team fills a
   * page.
   */
  const look = async (): Promise<void> => {
    for (let limit = PAGE; ; limit *= 2) {
      const due = await listDue(provider, limit);
      fresh = pickFew(due.filter((key) => !tried.has(toText(key))));
      if (fresh.length >= PAGE || due.length < limit) break;
    }
    isOver = fresh.length === 0;
  };

  return {
    busy: 0,
    /** The number of this provider's last turn. */
    turn: 0,
    /** Looks for more connections once none is left. */
    async fill(): Promise<void> {
      if (fresh.length > 0 || isOver) return;
      looking ??= look().finally(() => {
        looking = null;
      });
      await looking;
    },
    take(mayBegin: (teamId: string) => boolean): ConnectionKey | undefined {
      const index = fresh.findIndex(({ teamId }) => mayBegin(teamId));
      const [next] = index === -1 ? [] : fresh.splice(index, 1);
      if (next) tried.add(toText(next));
      return next;
    },
  };
};

type DueConnections = ReturnType<typeof createDueConnections>;

/**
 * Works on the connections that are due, a few at a time, and each of them once. The provider with the least work in
 * progress is next, so that none waits for another. Connections that aren't due cost nothing. This isn't done with
 * `createTurns`, because waiting connections stay in the database, and are only read when their turn comes.
 */
export const workInTurns = async (turns: Turns): Promise<void> => {
  const stopAt = performance.now() + WORK_MS;
  const providers = (await turns.listProviders()).map((provider) => createDueConnections(turns, provider));
  const ofTeams = new Map<string, number>();
  let turn = 0;

  const hasRoom = (teamId: string): boolean => (ofTeams.get(teamId) ?? 0) < AT_ONCE_PER_TEAM;
  const change = (due: DueConnections, { teamId }: ConnectionKey, by: 1 | -1): void => {
    due.busy += by;
    ofTeams.set(teamId, (ofTeams.get(teamId) ?? 0) + by);
  };

  const takeNext = async (): Promise<{ due: DueConnections; key: ConnectionKey } | undefined> => {
    for (const due of providers.toSorted((one, other) => one.busy - other.busy || one.turn - other.turn)) {
      if (due.busy >= AT_ONCE_PER_PROVIDER) continue;
      await due.fill();
      // Checked again, because it may have been someone else's turn in the meantime.
      const key = due.busy < AT_ONCE_PER_PROVIDER ? due.take(hasRoom) : undefined;
      if (!key) continue;
      due.turn = ++turn;
      change(due, key, 1);
      return { due, key };
    }
    return undefined;
  };

  const workOn = async (): Promise<void> => {
    for (let next = await takeNext(); next; next = performance.now() < stopAt ? await takeNext() : undefined) {
      await turns.work(next.key);
      change(next.due, next.key, -1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workOn));
};
