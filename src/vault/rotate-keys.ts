import type { Database, Progress } from '../platform/index.ts';
import type { KeyRing } from './key-ring.ts';
import { countTeamKeys, listTeamKeysNotUnder, replaceWrapping } from './team-key-store.ts';
import { unwrapTeamKey, wrapTeamKey } from './wrap-team-key.ts';

const PAGE = 100;

/**
 * Rewraps every team's key with the first key of the ring, while the service is running. Values sealed with the team
 * keys stay as they are. If interrupted, it continues where it left off when called again. Returns how many keys it
 * rewrapped.
 */
export const rotateKeys = async (
  { database, ring }: { database: Database; ring: KeyRing },
  onProgress: Progress,
): Promise<number> => {
  const counts = await countTeamKeys(database);
  const total = [...counts].reduce((sum, [id, count]) => (id === ring.first.id ? sum : sum + count), 0);
  let done = 0;
  for (;;) {
    const page = await listTeamKeysNotUnder(database, ring.first.id, PAGE);
    if (page.length === 0) return done;
    await database.transaction(async (tx) => {
      for (const row of page) {
        await replaceWrapping(tx, row, wrapTeamKey(ring, row, unwrapTeamKey(ring, row)));
      }
    });
    done += page.length;
    onProgress(done, Math.max(total, done));
  }
};
