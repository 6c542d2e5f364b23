import type { TelephonyContext } from '../context.ts';
import { openParties } from './call-parties.ts';
import { partyText } from './call-summary.ts';
import { listCallers } from './waiting-call-store.ts';

/** Returns who made each call, or null for a private number. Erased calls are left out. */
export const nameCallers = async (
  { database, vault }: Pick<TelephonyContext, 'database' | 'vault'>,
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
