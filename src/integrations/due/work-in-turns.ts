const AT_ONCE = 8;
/** Limited, so that a provider that doesn't respond delays only its own connections. */
const AT_ONCE_PER_PROVIDER = 3;
/** Limited, so that a team with many or slow connections doesn't keep other teams waiting. */
const AT_ONCE_PER_TEAM = 2;
const FEW_PER_TEAM = 6;
/** How many of a provider's due connections are read at once. */
const PAGE = 60;
const WORK_MS = 45_000;

/** A connection that is due, at one provider. */
type Due = { teamId: string; name: string };

type Turns<Key extends Due> = {
  /** Lists the providers that may have due connections. */
  listProviders(): Promise<string[]>;
  /** Lists a provider's due connections. Those that have been due longest come first. */
  listDue(provider: string, limit: number): Promise<Key[]>;
  /** Does the work for one connection. Must not reject. */
  work(key: Key): Promise<void>;
};

const toText = ({ teamId, name }: Due): string => `${teamId} ${name}`;

/** Picks the first few connections of each team, and keeps their order. */
const pickFew = <Key extends Due>(due: readonly Key[]): Key[] => {
  const counts = new Map<string, number>();
  return due.filter(({ teamId }) => {
    const count = (counts.get(teamId) ?? 0) + 1;
    counts.set(teamId, count);
    return count <= FEW_PER_TEAM;
  });
};

/** The due connections of one provider, in the order in which to work on them. Each is returned once. */
const createDueConnections = <Key extends Due>({ listDue }: Turns<Key>, provider: string) => {
  // Connections that were tried in this run. One that is still due waits for the next run, to spare the provider.
  const tried = new Set<string>();
  let fresh: Key[] = [];
  let looking: Promise<void> | null = null;
  let isOver = false;

  /**
   * Reads the connections that have been due longest and weren't tried yet, a few of each team. Reads more if one team
   * fills a page.
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
    /** A number that grows with each connection taken. The provider with the lowest number was served longest ago. */
    turn: 0,
    /** Reads more connections once none is left. */
    async fill(): Promise<void> {
      if (fresh.length > 0 || isOver) return;
      looking ??= look().finally(() => {
        looking = null;
      });
      await looking;
    },
    take(mayBegin: (teamId: string) => boolean): Key | undefined {
      const index = fresh.findIndex(({ teamId }) => mayBegin(teamId));
      const [next] = index === -1 ? [] : fresh.splice(index, 1);
      if (next) tried.add(toText(next));
      return next;
    },
  };
};

type DueConnections<Key extends Due> = ReturnType<typeof createDueConnections<Key>>;

/**
 * Works on the due connections, a few at a time, and on each of them once. The provider with the least work in progress
 * is next, so that slow providers don't delay others. Unlike in `createTurns`, waiting connections stay in the database
 * until they are next.
 */
export const workInTurns = async <Key extends Due>(turns: Turns<Key>): Promise<void> => {
  const stopAt = performance.now() + WORK_MS;
  const providers = (await turns.listProviders()).map((provider) => createDueConnections(turns, provider));
  const ofTeams = new Map<string, number>();
  let turn = 0;

  const hasRoom = (teamId: string): boolean => (ofTeams.get(teamId) ?? 0) < AT_ONCE_PER_TEAM;
  const change = (due: DueConnections<Key>, { teamId }: Key, by: 1 | -1): void => {
    due.busy += by;
    ofTeams.set(teamId, (ofTeams.get(teamId) ?? 0) + by);
  };

  const takeNext = async (): Promise<{ due: DueConnections<Key>; key: Key } | undefined> => {
    for (const due of providers.toSorted((one, other) => one.busy - other.busy || one.turn - other.turn)) {
      if (due.busy >= AT_ONCE_PER_PROVIDER) continue;
      await due.fill();
      // Check `busy` again: during `fill`, another worker may have taken a connection of this provider.
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
