import { type Database, type Log, withinOrNull } from '../../platform/index.ts';
import { listContainedTokens } from '../../teams/index.ts';
import { type Consent, listContained } from './consent-store.ts';

/** How often to look, so that what is contained ends within a second. */
const EVERY_MS = 400;
/** How long requests go on while nobody can look. */
const MOST_BLIND_MS = 5_000;
/** How long to wait for a look in any case, also after this process was stopped for a while. */
const LEAST_WAIT_MS = 500;
/** How many are looked up at once. */
const AT_ONCE = 200;

type Watched = { consent: Consent; tokenId: string | null; ended: AbortController };

/** Looks some of them up at a time, so that no statement gets too long. */
const listAll = async <Key, Found>(
  keys: Iterable<Key>,
  list: (some: Key[]) => Promise<Found[]>,
): Promise<Set<Found>> => {
  const all = [...keys];
  const found: Found[] = [];
  for (let start = 0; start < all.length; start += AT_ONCE)
    found.push(...(await list(all.slice(start, start + AT_ONCE))));
  return new Set(found);
};

const keyOf = ({ id, connectedAt }: Consent): string => `${id} ${connectedAt}`;

/**
 * Ends requests that are under way at providers as soon as their connection or access token is contained, by any process.
 * Also ends them all if the database can't say for five seconds. Looks only while there are such requests.
 */
export const createContainmentWatch = ({ database, log }: { database: Database; log: Log }) => {
  const watched = new Set<Watched>();
  let isLooking = false;

  const look = async (): Promise<true> => {
    const consents = new Map([...watched].map(({ consent }) => [keyOf(consent), consent]));
    const tokens = new Set([...watched].flatMap(({ tokenId }) => tokenId ?? []));
    const contained = await listAll(consents.values(), (some) => listContained(database, some));
    const stopped = await listAll(tokens, (some) => listContainedTokens(database, some));
    const keys = new Set([...contained].map(keyOf));
    for (const { consent, tokenId, ended } of watched)
      if (keys.has(keyOf(consent)) || (tokenId !== null && stopped.has(tokenId))) ended.abort();
    return true;
  };

  const endAll = (): void => {
    log.error({ requests: watched.size }, 'containments cannot be read, so requests at providers were ended');
    for (const { ended } of watched) ended.abort();
    watched.clear();
  };

  const keepLooking = async (): Promise<void> => {
    let seenAt = performance.now();
    while (watched.size > 0) {
      const begunAt = performance.now();
      const leftMs = Math.max(LEAST_WAIT_MS, MOST_BLIND_MS - (begunAt - seenAt));
      if (await withinOrNull(leftMs, look())) seenAt = begunAt;
      else if (performance.now() - seenAt >= MOST_BLIND_MS) endAll();
      await new Promise<void>((done) => setTimeout(done, EVERY_MS).unref());
    }
    isLooking = false;
  };

  return {
    /** Watches a request until `end`. The signal aborts it. */
    watch(consent: Consent, tokenId: string | null): { signal: AbortSignal; end(): void } {
      const { id, teamId, provider, connectedAt } = consent;
      const one: Watched = {
        consent: { id, teamId, provider, connectedAt },
        tokenId,
        ended: new AbortController(),
      };
      watched.add(one);
      if (!isLooking) {
        isLooking = true;
        void keepLooking();
      }
      return { signal: one.ended.signal, end: () => void watched.delete(one) };
    },
  };
};

export type ContainmentWatch = ReturnType<typeof createContainmentWatch>;
