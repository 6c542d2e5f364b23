import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Secret } from '../platform/index.ts';

const KEY_BYTES = 32;
const LEAST_DIFFERENT_BYTES = 12;

/** A key that wraps team keys. Its ID is stored with each key that it wrapped. */
export type RingKey = { id: string; key: KeyObject };

/** The first key seals. Any of the keys can open. */
export type KeyRing = { first: RingKey; find(id: string): RingKey | undefined; ids: readonly string[] };

const parseKey = (part: string): RingKey => {
  const [id = '', encoded = ''] = part.trim().split(/:(.*)/s);
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(id))
    throw new Error('a key needs an id of lowercase letters, digits and "-" before the ":".');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64').replace(/=+$/, '') !== encoded.replace(/=+$/, '')) {
    throw new Error(`key "${id}" is not ${KEY_BYTES} bytes in base64 (make one with: openssl rand -base64 32).`);
  }
  if (new Set(bytes).size < LEAST_DIFFERENT_BYTES) throw new Error(`key "${id}" is not random.`);
  return { id, key: createSecretKey(bytes) };
};

/** Reads `k2:<base64>,k1:<base64>`. Errors say what is wrong, and never show a key. */
export const parseKeyRing = (ring: Secret): KeyRing => {
  const keys = ring.reveal().split(',').map(parseKey);
  const [first] = keys;
  const byId = new Map(keys.map((key) => [key.id, key]));
  if (!first || byId.size !== keys.length) throw new Error('two keys have the same id.');
  if (keys.some(({ key }, index) => keys.slice(index + 1).some((other) => other.key.equals(key))))
    throw new Error('two keys are the same.');
  return { first, find: (id) => byId.get(id), ids: [...byId.keys()] };
};

/** Adds a new key at the front of the ring, as text for the setting. */
export const extendKeyRing = (ring: string | undefined): string => {
  const ids = ring?.split(',').map((part) => Number(/^k(\d+):/.exec(part)?.[1] ?? 0)) ?? [];
  const fresh = `k${Math.max(0, ...ids) + 1}:${randomBytes(KEY_BYTES).toString('base64')}`;
  return ring ? `${fresh},${ring}` : fresh;
};

/** The ring as it was set. `reload` reads it again, in case a key was added while the service is running. */
export type RingSource = { current(): KeyRing; reload(): KeyRing };
