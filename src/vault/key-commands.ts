import { type Command, type Database, printTable } from '../platform/index.ts';
import type { KeyRings } from './key-rings.ts';
import { rotateKeys } from './rotate-keys.ts';
import { countTeamKeys } from './team-key-store.ts';
import type { Vault } from './vault.ts';

const HOW_TO_ROTATE =
  'To rotate, add a new key at the front of PATCHBAY_KEYS, restart the service, and run this again.';

/**
 * Says when the old keys can be removed. Until then, they open values that were sealed with the ring itself: those of
 * connects and sign-ins in progress (for ten minutes), and deliveries that arrived while the database was unavailable.
 */
const whenToRemove = (others: readonly string[]): string =>
  others.length === 0
    ? ''
    : ` Connects and sign-ins that have begun still need the old key: after ten minutes, remove ${others.join(', ')} from PATCHBAY_KEYS and restart. If the database was unavailable meanwhile, deliveries wait in the folder "journal" of the data directory, so remove it only when that is empty.`;

export const keyCommands = (
  open: () => Promise<{ database: Database; rings: KeyRings; vault: Pick<Vault, 'verifyRing'> }>,
): Command[] => [
  {
    name: 'keys list',
    about: 'Lists the keys in the ring and how many team keys each one protects. Never shows a key.',
    async run() {
      const { database, rings } = await open();
      const ring = rings.current();
      const counts = await countTeamKeys(database);
      const ids = new Set([...ring.ids, ...counts.keys()]);
      const keys = [...ids].map((id) => ({
        id,
        seals: id === ring.first.id,
        inRing: ring.ids.includes(id),
        teamKeys: counts.get(id) ?? 0,
      }));
      const rows = keys.map(({ id, seals, inRing, teamKeys }) => [
        id,
        seals ? 'encrypts' : inRing ? 'decrypts' : 'MISSING from the ring',
        String(teamKeys),
      ]);
      return { text: printTable(['key', 'use', 'team keys'], rows), json: { keys } };
    },
  },
  {
    name: 'keys rotate',
    about:
      'Re-encrypts every team key with the first key in the ring, while the service runs. Picks up where it left off.',
    async run({ progress }) {
      const { database, rings, vault } = await open();
      await vault.verifyRing();
      const ring = rings.current();
      const counts = await countTeamKeys(database);
      const unfinished = [...counts.keys()].some((id) => id !== ring.first.id);
      const target = unfinished ? ring : (rings.extend?.() ?? ring);
      const wrapped = await rotateKeys({ database, ring: target }, progress);
      const others = target.ids.filter((id) => id !== target.first.id);
      const text =
        wrapped === 0 && !unfinished
          ? `All team keys already use "${target.first.id}". ${HOW_TO_ROTATE}`
          : `Team keys re-encrypted with "${target.first.id}": ${wrapped}.${whenToRemove(others)}`;
      return { text, json: { wrapped, key: target.first.id, unneeded: others } };
    },
  },
];
