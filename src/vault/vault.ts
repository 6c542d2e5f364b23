import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Readable, Transform } from 'node:stream';
import { type Clock, type Database, type NewId, type Queries, Secret, type Transaction } from '../platform/index.ts';
import { deriveKey } from './derive-key.ts';
import { keyIdOf, openEnvelope, SealBroken, sealEnvelope } from './envelope.ts';
import type { KeyRing, RingSource } from './key-ring.ts';
import { createPassingSeal } from './passing-seal.ts';
import { type ByteRange, openSealedRange, type SealedSource, sealingStream } from './stream-seal.ts';
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
const HASH_BYTES = 16;
/** How often this process checks which keys others have deleted. */
const CHECK_EVERY_MS = 5 * 60_000;

/** Where a secret is stored: its row and column. A ciphertext only opens in its own place. */
export type Place = { record: string; field: string };

type VaultContext = { database: Database; rings: RingSource; clock: Clock; newId: NewId };

type TeamKey = { id: string; key: KeyObject; hashKey: KeyObject };

/**
 * Seals and opens a team's secrets. Each team has its own key, wrapped with the ring and unwrapped only in memory. The first
 * use of a team's key reads the database, so open before starting a transaction.
 */
export const createVault = ({ database, rings, clock, newId }: VaultContext) => {
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

  /** A key is only kept if none was deleted here while it was read: it may have been this one. */
  const keep = (row: TeamKeyRow, deletionsBefore: number): TeamKey => {
    const key = unwrap(row);
    const kept = { id: row.id, key, hashKey: deriveKey(key, 'look-up') };
    if (deletions === deletionsBefore) unwrapped.set(row.teamId, kept);
    return kept;
  };

  /** Throws RingIncomplete if the ring is that of another database. */
  const openOldest = async (queries: Queries, ring: KeyRing): Promise<void> => {
    const [oldest] = await listTeamKeysAfter(queries, '', 1);
    if (oldest) unwrapTeamKey(ring, oldest);
  };

  const forgetDeleted = async (): Promise<void> => {
    const known = [...unwrapped.keys()];
    while (known.length > 0) {
      const page = known.splice(-PAGE);
      const there = new Set(await listTeamsWithKey(database, page));
      for (const teamId of page) if (!there.has(teamId)) unwrapped.delete(teamId);
    }
  };

  /** Nobody waits for it. If the database is unavailable, the keys stay until the next check. */
  const forgetDeletedNowAndThen = (): void => {
    const now = clock.now();
    if (now >= checkedAt && now - checkedAt < CHECK_EVERY_MS) return;
    checkedAt = now;
    forgetDeleted().catch(() => undefined);
  };

  const keyOf = async (teamId: string, queries: Queries = database): Promise<TeamKey> => {
    forgetDeletedNowAndThen();
    const known = unwrapped.get(teamId);
    if (known) return known;
    const before = deletions;
    const row = await getTeamKey(queries, teamId);
    if (!row) throw new SealBroken('The team has no key.');
    return keep(row, before);
  };

  const lastingKey = ({ key }: TeamKey, purpose: string): KeyObject => deriveKey(key, `lasting ${purpose}`);

  const bindingAt = (teamId: string, { record, field }: Place) => [teamId, record, field];

  return {
    ...createPassingSeal(rings),
    /** Gives a new team its key. Throws RingIncomplete if the ring is that of another database. */
    async addTeamKey(queries: Queries, teamId: string): Promise<void> {
      // Read the ring again: a command may have added a new key, and the old one may be removed soon.
      const ring = rings.reload();
      await openOldest(queries, ring);
      const row = wrapTeamKey(ring, { id: newId(), teamId }, createSecretKey(randomBytes(TEAM_KEY_BYTES)));
      await insertTeamKey(queries, row, clock.now());
    },
    /** For a team that is going to be erased: a key that doesn't open although others do would only be in the way. */
    async dropForeignKey(tx: Transaction, teamId: string): Promise<void> {
      const ring = rings.reload();
      const [row, [oldest]] = [await getTeamKey(tx, teamId), await listTeamKeysAfter(tx, '', 1)];
      if (row && oldest && opens(ring, oldest) && !opens(ring, row)) await deleteTeamKey(tx, teamId);
    },
    /** Whatever was sealed with it can never be opened again, wherever there is a copy. */
    async deleteTeamKey(tx: Transaction, teamId: string): Promise<void> {
      await deleteTeamKey(tx, teamId);
      tx.afterCommit(() => {
        deletions++;
        unwrapped.delete(teamId);
      });
    },
    /** Within a transaction, pass it on. */
    async seal(teamId: string, place: Place, secret: Secret, queries?: Queries): Promise<string> {
      const { id, key } = await keyOf(teamId, queries);
      return sealEnvelope(id, key, bindingAt(teamId, place), Buffer.from(secret.reveal(), 'utf8'));
    },
    async open(teamId: string, place: Place, sealed: string, queries?: Queries): Promise<Secret> {
      const { id, key } = await keyOf(teamId, queries);
      if (keyIdOf(sealed) !== id) throw new SealBroken('A sealed value belongs to another team.');
      return new Secret(openEnvelope(key, bindingAt(teamId, place), sealed).toString('utf8'));
    },
    /**
     * Seals what leaves the service for longer than minutes, like a link in an email. It uses the team's key, so it still
     * opens after the ring was rotated. It reveals neither the team nor the content.
     */
    async sealLasting(purpose: string, teamId: string, content: Buffer): Promise<string> {
      const teamKey = await keyOf(teamId);
      return sealEnvelope(teamKey.id, lastingKey(teamKey, purpose), [teamId], content);
    },
    async openLasting(purpose: string, sealed: string): Promise<{ teamId: string; content: Buffer }> {
      const before = deletions;
      const row = await getTeamKeyById(database, keyIdOf(sealed));
      if (!row) throw new SealBroken('It was sealed with a key that belongs to no team.');
      const { teamId } = row;
      const key = lastingKey(unwrapped.get(teamId) ?? keep(row, before), purpose);
      return { teamId, content: openEnvelope(key, [teamId], sealed) };
    },
    /** Seals a file of any size as a stream, in segments. The output has `sealedBytes` bytes. */
    async sealStream(teamId: string, place: Place): Promise<Transform> {
      const { id, key } = await keyOf(teamId);
      return sealingStream({ keyId: id, key, binding: bindingAt(teamId, place) });
    },
    /** Opens a range of such a file. Only reads the segments it needs. If one doesn't open, the stream fails. */
    async openRange(teamId: string, place: Place, source: SealedSource, range: ByteRange): Promise<Readable> {
      const { id, key } = await keyOf(teamId);
      return openSealedRange({ keyId: id, key, binding: bindingAt(teamId, place) }, source, range);
    },
    /** For finding a sealed value again: the same for equal values of one team, and meaningless to anyone else. */
    async hash(teamId: string, value: string): Promise<string> {
      const { hashKey } = await keyOf(teamId);
      return createHmac('sha256', hashKey).update(value).digest().subarray(0, HASH_BYTES).toString('base64url');
    },
    /** Throws RingIncomplete if this process was started before a rotation, without the new key. */
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

export type Vault = ReturnType<typeof createVault>;
