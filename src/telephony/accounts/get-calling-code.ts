import { callingCodeOf, type Database } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { getOldestNumber } from './number-store.ts';
import { openNumber } from './open-number.ts';

/**
 * The calling code of the team's oldest number, or else of the demo's; null if it has none. That is where the team is at home, so its pages and
 * mail write numbers there the national way. (Its time zone says less: a new team's is UTC, and one zone can span
 * several countries.)
 */
export const getCallingCode = async (
  { database, vault }: { database: Database; vault: Vault },
  teamId: string,
): Promise<string | null> => {
  const oldest =
    (await getOldestNumber(database, teamId, { isSimulated: false })) ??
    (await getOldestNumber(database, teamId, { isSimulated: true }));
  return oldest ? callingCodeOf(await openNumber(vault, oldest)) : null;
};
