import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Clock, Database, NewId, Queries, Transaction } from '../platform/index.ts';
import { deriveKey } from './derive-key.ts';
import { SealBroken } from './envelope.ts';
import type { KeyRing, RingSource } from './key-ring.ts';
import {
  deleteTeamKey,
  getTeamKey,
  getTeamKeyById,
  insertTeamKey,
  listTeamKeysAfter,
  listTeamsWithKey,
  type TeamKeyRow,
} from './team-key-store.ts';
import { opens, RingIncomplete, refuseForeign, unwrapTeamKey, wrapTeamKey } from './wrap-team-key.ts';

const TEAM_KEY_BYTES = 32;
const PAGE = 500;
/** How often this process checks which keys other processes have deleted. */
const CHECK_EVERY_MS = 5 * 60_000;

export type TeamKeysContext = { database: Database; rings: RingSource; clock: Clock; newId: NewId };

export type TeamKey = { id: string; key: KeyObject; hashKey: KeyObject };

/**
 * Throws RingIncomplete if the ring doesn't open the oldest key. If so, the ring probably belongs to another database.
 */
const openOldest = async (queries: Queries, ring: KeyRing): Promise<void> => {
  const [oldest] = await listTeamKeysAfter(queries, '', 1);
  if (oldest) unwrapTeamKey(ring, oldest);
};

/** Manages each team's own key. It's stored wrapped with the ring, and unwrapped only in memory. */
export const createTeamKeys = ({ database, rings, clock, newId }: TeamKeysContext) => {
  // A team's key never changes. Rotating the ring only changes how it's wrapped.
  const unwrapped = new Map<string, TeamKey>();
  let deletions = 0;
  let checkedAt = clock.now();

  const unwrap = (row: TeamKeyRow): KeyObject => {
    try {
      return unwrapTeamKey(rings.current(), row);
    } catch (error) {
      if (!(error instanceof RingIncomplete)) throw error;
      return unwrapTeamKey(rings.reload(), row);
    }
  };

  /**
   * Caches a key, unless this process deleted any key while the row was being read. The deleted key may be this one.
   */
  const keep = (row: TeamKeyRow, deletionsBefore: number): TeamKey => {
    const key = unwrap(row);
    const kept = { id: row.id, key, hashKey: deriveKey(key, 'look-up') };
    if (deletions === deletionsBefore) unwrapped.set(row.teamId, kept);
    return kept;
  };

  const forgetDeleted = async (): Promise<void> => {
    const known = [...unwrapped.keys()];
    while (known.length > 0) {
      const page = known.splice(-PAGE);
      const there = new Set(await listTeamsWithKey(database, page));
      for (const teamId of page) if (!there.has(teamId)) unwrapped.delete(teamId);
    }
  };

  /** Forgets deleted keys in the background. If the database is unavailable, the keys stay until the next check. */
  const forgetDeletedNowAndThen = (): void => {
    const now = clock.now();
    if (now >= checkedAt && now - checkedAt < CHECK_EVERY_MS) return;
    checkedAt = now;
    forgetDeleted().catch(() => undefined);
  };

  return {
    async get(teamId: string, queries: Queries = database): Promise<TeamKey> {
      forgetDeletedNowAndThen();
      const known = unwrapped.get(teamId);
      if (known) return known;
      const before = deletions;
      const row = await getTeamKey(queries, teamId);
      if (!row) throw new SealBroken('The team has no key.');
      return keep(row, before);
    },
    /** Returns the key with this ID, and the team that it belongs to. */
    async find(id: string): Promise<TeamKey & { teamId: string }> {
      const before = deletions;
      const row = await getTeamKeyById(database, id);
      if (!row) throw new SealBroken('It was sealed with a key that belongs to no team.');
      const { teamId } = row;
      return { ...(unwrapped.get(teamId) ?? keep(row, before)), teamId };
    },
    /** Creates the key of a new team. Throws RingIncomplete if the ring belongs to another database. */
    async add(queries: Queries, teamId: string): Promise<void> {
      // A command may have added a key to the ring. Use it, because the old key may be removed soon.
      const ring = rings.reload();
      await openOldest(queries, ring);
      const row = wrapTeamKey(ring, { id: newId(), teamId }, createSecretKey(randomBytes(TEAM_KEY_BYTES)));
      await insertTeamKey(queries, row, clock.now());
    },
    /**
     * Deletes the key of a team that is about to be erased, if the ring opens other teams' keys but not this one. The
     * erasure would fail at a key that doesn't open.
     */
    async dropForeign(tx: Transaction, teamId: string): Promise<void> {
      const ring = rings.reload();
      const [row, [oldest]] = [await getTeamKey(tx, teamId), await listTeamKeysAfter(tx, '', 1)];
      if (row && oldest && opens(ring, oldest) && !opens(ring, row)) await deleteTeamKey(tx, teamId);
    },
    /** Deletes a team's key. Values sealed with it can't be opened anymore. */
    async delete(tx: Transaction, teamId: string): Promise<void> {
      await deleteTeamKey(tx, teamId);
      tx.afterCommit(() => {
        deletions++;
        unwrapped.delete(teamId);
      });
    },
    /**
     * Throws RingIncomplete if the ring doesn't open the oldest key, as in a process that was started before a
     * rotation, without the new key.
     */
    async verifyOldest(): Promise<void> {
      const [oldest] = await listTeamKeysAfter(database, '', 1);
      if (oldest) unwrap(oldest);
    },
    /** Throws RingIncomplete unless the ring opens every team's key. */
    async verifyRing(): Promise<void> {
      await openOldest(database, rings.current());
      const foreign: TeamKeyRow[] = [];
      let page = await listTeamKeysAfter(database, '', PAGE);
      while (page.length > 0) {
        foreign.push(...page.filter((row) => !opens(rings.current(), row)));
        page = await listTeamKeysAfter(database, page.at(-1)?.id ?? '', PAGE);
      }
      refuseForeign(foreign);
    },
  };
};
