import { callingCodeOf, type Database } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { getOldestNumber } from './number-store.ts';
import { openNumber } from './open-number.ts';

/**
 * Returns the calling code of the team's oldest number, or else of its oldest demo number, or null if it has neither.
 * Pages and email write numbers from that country the national way. The time zone isn't used, because a new team's is
 * UTC, and a zone can span several countries.
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
