import { createHmac, type KeyObject } from 'node:crypto';
import type { Readable, Transform } from 'node:stream';
import { type Queries, Secret } from '../platform/index.ts';
import { deriveKey } from './derive-key.ts';
import { keyIdOf, openEnvelope, SealBroken, sealEnvelope } from './envelope.ts';
import { createPassingSeal } from './passing-seal.ts';
import { type ByteRange, openSealedRange, type SealedSource, sealingStream } from './stream-seal.ts';
import { createTeamKeys, type TeamKey, type TeamKeysContext } from './team-keys.ts';

const HASH_BYTES = 16;

/** Where a secret is stored: its row and column. A sealed value only opens in its own place. */
export type SealPlace = { record: string; field: string };

/**
 * Seals and opens a team's secrets. Each team has its own key, wrapped with the ring and unwrapped only in memory. Open
 * values before starting a transaction, because the first use of a team's key is a query outside the transaction.
 */
export const createVault = (context: TeamKeysContext) => {
  const keys = createTeamKeys(context);

  const lastingKey = ({ key }: TeamKey, purpose: string): KeyObject => deriveKey(key, `lasting ${purpose}`);

  const bindingAt = (teamId: string, { record, field }: SealPlace) => [teamId, record, field];

  return {
    ...createPassingSeal(context.rings),
    addTeamKey: keys.add,
    dropForeignKey: keys.dropForeign,
    deleteTeamKey: keys.delete,
    verifyOldest: keys.verifyOldest,
    verifyRing: keys.verifyRing,
    /**
     * Seals a secret. Within a transaction, pass the transaction as `queries`, because the team's key may have to be
     * read.
     */
    async seal(teamId: string, place: SealPlace, secret: Secret, queries?: Queries): Promise<string> {
      const { id, key } = await keys.get(teamId, queries);
      return sealEnvelope(id, key, bindingAt(teamId, place), Buffer.from(secret.reveal(), 'utf8'));
    },
    async open(teamId: string, place: SealPlace, sealed: string, queries?: Queries): Promise<Secret> {
      const { id, key } = await keys.get(teamId, queries);
      if (keyIdOf(sealed) !== id) throw new SealBroken('A sealed value belongs to another team.');
      return new Secret(openEnvelope(key, bindingAt(teamId, place), sealed).toString('utf8'));
    },
    /**
     * Seals content that leaves the service for longer than minutes, such as a link in an email. Uses the team's key,
     * so that the content still opens after the ring was rotated. The sealed text reveals neither the team nor the
     * content.
     */
    async sealLasting(purpose: string, teamId: string, content: Buffer): Promise<string> {
      const teamKey = await keys.get(teamId);
      return sealEnvelope(teamKey.id, lastingKey(teamKey, purpose), [teamId], content);
    },
    async openLasting(purpose: string, sealed: string): Promise<{ teamId: string; content: Buffer }> {
      const found = await keys.find(keyIdOf(sealed));
      const { teamId } = found;
      return { teamId, content: openEnvelope(lastingKey(found, purpose), [teamId], sealed) };
    },
    /** Seals a file of any size as a stream, in segments. The output has `sealedBytes` bytes. */
    async sealStream(teamId: string, place: SealPlace): Promise<Transform> {
      const { id, key } = await keys.get(teamId);
      return sealingStream({ keyId: id, key, binding: bindingAt(teamId, place) });
    },
    /**
     * Opens a range of a sealed file. Reads only the segments it needs. If a segment doesn't open, the stream fails.
     */
    async openRange(teamId: string, place: SealPlace, source: SealedSource, range: ByteRange): Promise<Readable> {
      const { id, key } = await keys.get(teamId);
      return openSealedRange({ keyId: id, key, binding: bindingAt(teamId, place) }, source, range);
    },
    /**
     * Hashes a value, so that a row can be found by a value that it stores only sealed. Equal values of one team have
     * the same hash. Without the team's key, the hash reveals nothing.
     */
    async hash(teamId: string, value: string): Promise<string> {
      const { hashKey } = await keys.get(teamId);
      return createHmac('sha256', hashKey).update(value).digest().subarray(0, HASH_BYTES).toString('base64url');
    },
  };
};

export type Vault = ReturnType<typeof createVault>;
