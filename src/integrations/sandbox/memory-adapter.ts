import type { Adapter, AdapterPayload } from 'oidc-provider';

const MOST = 1_000;

type Entry = { payload: AdapterPayload; expiresAt: number };

/**
 * Keeps short-lived data in memory, so a restart ends connects in progress. Each kind has its own adapter, so that a
 * flood of unfinished consents doesn't push out codes. A full adapter drops expired entries first, then used ones, then
 * the oldest.
 */
export const createMemoryAdapter = (): Adapter => {
  const entries = new Map<string, Entry>();

  const isExpired = ({ expiresAt }: Entry): boolean => expiresAt <= Date.now();

  const firstWhere = (test: (entry: Entry) => boolean): string | undefined => {
    for (const [id, entry] of entries) if (test(entry)) return id;
    return undefined;
  };

  const makeRoom = (): void => {
    if (entries.size < MOST) return;
    const goes =
      firstWhere(isExpired) ?? firstWhere(({ payload }) => Boolean(payload.consumed)) ?? firstWhere(() => true);
    if (goes !== undefined) entries.delete(goes);
  };

  const find = async (id: string): Promise<AdapterPayload | undefined> => {
    const entry = entries.get(id);
    return entry && !isExpired(entry) ? entry.payload : undefined;
  };

  return {
    find,
    async upsert(id, payload, expiresInSeconds = Number.POSITIVE_INFINITY) {
      entries.delete(id);
      makeRoom();
      entries.set(id, { payload, expiresAt: Date.now() + expiresInSeconds * 1_000 });
    },
    async findByUid(uid) {
      return find(firstWhere(({ payload }) => payload.uid === uid) ?? '');
    },
    /** Only the device flow has user codes. */
    findByUserCode: async () => undefined,
    async consume(id) {
      const entry = entries.get(id);
      if (entry) entry.payload.consumed = Math.floor(Date.now() / 1_000);
    },
    async destroy(id) {
      entries.delete(id);
    },
    async revokeByGrantId(grantId) {
      for (const [id, { payload }] of entries) if (payload.grantId === grantId) entries.delete(id);
    },
  };
};
