import type { ConnectionKey } from './connection.ts';

const AT_ONCE = 8;
/** A provider that doesn't respond holds up only its own connections. */
const AT_ONCE_PER_PROVIDER = 3;
/** However many connections a team has, and however slow they are, others have their turn beside it. */
const AT_ONCE_PER_TEAM = 2;
const FEW_PER_TEAM = 6;
const PAGE = 200;
const WORK_MS = 45_000;

type Turns = {
  /** The longest due first. */
  listDue(limit: number): Promise<ConnectionKey[]>;
  /** Must not reject. */
  work(key: ConnectionKey): Promise<void>;
};

const toText = ({ teamId, provider, name }: ConnectionKey): string => `${teamId} ${provider} ${name}`;

/** The first few of each team, in the same order. */
const pickFew = (due: readonly ConnectionKey[]): ConnectionKey[] => {
  const counts = new Map<string, number>();
  return due.filter(({ teamId }) => {
    const count = (counts.get(teamId) ?? 0) + 1;
    counts.set(teamId, count);
    return count <= FEW_PER_TEAM;
  });
};

/** The longest due that weren't tried yet, a few of each team. A team that fills a page doesn't hide those after it. */
const listFresh = async ({ listDue }: Turns, tried: ReadonlySet<string>): Promise<ConnectionKey[]> => {
  for (let limit = PAGE + tried.size; ; limit *= 2) {
    const due = await listDue(limit);
    const fresh = pickFew(due.filter((key) => !tried.has(toText(key))));
    if (fresh.length >= PAGE || due.length < limit) return fresh;
  }
};

/** Counts what is in progress, by team and by provider. */
const createOccupation = () => {
  const counts = new Map<string, number>();
  const change = (key: string, by: number) => counts.set(key, (counts.get(key) ?? 0) + by);
  const keysOf = ({ teamId, provider }: ConnectionKey) => [`team ${teamId}`, `provider ${provider}`] as const;
  return {
    hasRoom(key: ConnectionKey): boolean {
      const [team, provider] = keysOf(key);
      return (counts.get(team) ?? 0) < AT_ONCE_PER_TEAM && (counts.get(provider) ?? 0) < AT_ONCE_PER_PROVIDER;
    },
    change: (key: ConnectionKey, by: 1 | -1): void => {
      for (const counted of keysOf(key)) change(counted, by);
    },
  };
};

/** Works on the connections that are due, a few at a time, and each of them once. Those that aren't due cost nothing. */
export const workInTurns = async (turns: Turns): Promise<void> => {
  const stopAt = performance.now() + WORK_MS;
  // What was tried in this run and is still due waits for the next, so that no provider is hammered.
  const tried = new Set<string>();
  for (;;) {
    const fresh = await listFresh(turns, tried);
    if (fresh.length === 0) return;
    const occupation = createOccupation();
    const takeNext = () => {
      const index = fresh.findIndex(occupation.hasRoom);
      return index === -1 ? undefined : fresh.splice(index, 1)[0];
    };
    const workers = Array.from({ length: AT_ONCE }, async () => {
      for (let next = takeNext(); next && performance.now() < stopAt; next = takeNext()) {
        tried.add(toText(next));
        occupation.change(next, 1);
        await turns.work(next);
        occupation.change(next, -1);
      }
    });
    await Promise.all(workers);
    if (performance.now() >= stopAt) return;
  }
};
