import type { Adapter } from 'oidc-provider';
import { type Database, digestOf } from '../platform/index.ts';
import {
  consumeIssued,
  deleteExpiredIssued,
  deleteIssued,
  deleteIssuedFor,
  deleteOldIssued,
  getIssued,
  type IssuedTable,
  putIssued,
} from './issued-store.ts';

export type AdapterOptions = {
  table: IssuedTable;
  /** What to keep, in the words of oidc-provider. */
  kind: string;
  /** The most that is kept of this kind. Null for no limit. */
  most: number | null;
  /** How long after its first use something can be used again, because two windows of a client may do so at once. */
  graceMs?: number;
  /** Whether destroying it is a step that only one request may take. */
  isDestroyedOnce?: boolean;
  /** What to throw if another request was faster. */
  onUsed(): Error;
  now?(): number;
};

/** Finds what is stored under an ID, which for codes and tokens is the code or the token itself. */
export const digestOfIssued = (kind: string, id: string): string => digestOf(`${kind} ${id}`);

/**
 * Keeps what an OAuth server has issued in the database, for all processes. IDs are stored only as digests. If there
 * are too many of a kind, expired ones are deleted first, then used ones, then the oldest. Without a limit, that's left
 * to a job, so that no request waits for what others have left behind.
 */
export const createStoredAdapter = (
  database: Database,
  { table, kind, most, graceMs = 0, isDestroyedOnce = false, onUsed, now = Date.now }: AdapterOptions,
): Adapter => {
  const toDigest = (id: string): string => digestOfIssued(kind, id);

  return {
    async upsert(id, { jti: _, ...payload }, expiresInSeconds = 0) {
      const createdAt = now();
      const expiresAt = createdAt + expiresInSeconds * 1_000;
      const grantId = payload.grantId ?? null;
      await putIssued(database, table, {
        ...{ digest: toDigest(id), kind, grantId, payload: JSON.stringify(payload), createdAt, expiresAt },
      });
      if (most === null) return;
      await deleteExpiredIssued(database, table, createdAt);
      await deleteOldIssued(database, table, kind, most);
    },
    async find(id) {
      const issued = await getIssued(database, table, toDigest(id), now());
      if (!issued) return undefined;
      const { payload, consumedAt } = issued;
      const isUsed = consumedAt !== null && consumedAt <= now() - graceMs;
      return { ...JSON.parse(payload), ...(isUsed ? { consumed: Math.floor(consumedAt / 1_000) } : {}), jti: id };
    },
    /** Never called here: only sessions are found by a UID, and only the device flow has user codes. */
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    /** Marks something as used. Of two simultaneous requests, one is refused, unless there is time for both. */
    async consume(id) {
      const at = now();
      if ((await consumeIssued(database, table, toDigest(id), { at, usedSince: at - graceMs })) === 0) throw onUsed();
    },
    /** Destroys something. Of two simultaneous requests, one is refused if it can be destroyed only once. */
    async destroy(id) {
      if ((await deleteIssued(database, table, toDigest(id))) === 0 && isDestroyedOnce) throw onUsed();
    },
    async revokeByGrantId(grantId) {
      await deleteIssuedFor(database, table, kind, grantId);
    },
  };
};
