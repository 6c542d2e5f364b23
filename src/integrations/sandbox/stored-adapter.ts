import { type Adapter, errors } from 'oidc-provider';
import { type Database, digestOf } from '../../platform/index.ts';
import {
  consumeIssued,
  deleteExpiredIssued,
  deleteIssued,
  deleteIssuedFor,
  deleteOldIssued,
  getIssued,
  putIssued,
} from './issued-store.ts';

const MOST = 1_000;

/**
 * Keeps tokens and grants in the database, so that connections survive a restart. IDs, which for tokens are the tokens
 * themselves, are stored only as digests. If there are too many of a kind, expired ones are deleted first, then used
 * ones, then the oldest.
 */
export const createStoredAdapter = (kind: string, database: Database, most = MOST): Adapter => {
  const toDigest = (id: string): string => digestOf(`${kind} ${id}`);

  return {
    async upsert(id, { jti: _, ...payload }, expiresInSeconds = 0) {
      const createdAt = Date.now();
      const expiresAt = createdAt + expiresInSeconds * 1_000;
      const grantId = payload.grantId ?? null;
      await deleteExpiredIssued(database, createdAt);
      await putIssued(database, {
        ...{ digest: toDigest(id), kind, grantId, payload: JSON.stringify(payload), createdAt, expiresAt },
      });
      await deleteOldIssued(database, kind, most);
    },
    async find(id) {
      const issued = await getIssued(database, toDigest(id), Date.now());
      if (!issued) return undefined;
      const { payload, consumedAt } = issued;
      const consumed = consumedAt === null ? {} : { consumed: Math.floor(consumedAt / 1_000) };
      return { ...JSON.parse(payload), ...consumed, jti: id };
    },
    /** Never called here: only sessions are found by a UID, and only the device flow has user codes. */
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    /** Marks a token as used. Of two simultaneous requests, one is refused. */
    async consume(id) {
      if ((await consumeIssued(database, toDigest(id), Date.now())) === 0)
        throw new errors.InvalidGrant('It was already used.');
    },
    async destroy(id) {
      await deleteIssued(database, toDigest(id));
    },
    async revokeByGrantId(grantId) {
      await deleteIssuedFor(database, kind, grantId);
    },
  };
};
