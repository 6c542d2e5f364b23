import type { Database } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { partyText } from './call-answer.ts';
import { openParties } from './call-parties.ts';
import { listCallers } from './waiting-call-store.ts';

/** Who made these calls; null for a private number. Erased calls are left out. */
export const nameCallers = async (
  { database, vault }: { database: Database; vault: Vault },
  teamId: string,
  callIds: readonly string[],
): Promise<Map<string, string | null>> => {
  const rows = await listCallers(database, teamId, callIds);
  const named = rows.map(async (row) => {
    const { from } = await openParties(vault, { ...row, toParty: null });
    return [row.id, partyText(from)] as const;
  });
  return new Map(await Promise.all(named));
};
