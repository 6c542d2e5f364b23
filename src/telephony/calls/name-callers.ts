import type { TelephonyContext } from '../context.ts';
import { type CallPerson, findPersons } from '../people/person.ts';
import { openParties } from './call-parties.ts';
import { partyText } from './call-summary.ts';
import { listCallers } from './waiting-call-store.ts';

/** Who made a call: the number, or null if it was private, and the contact with that number, if a CRM has one. */
export type NamedCaller = { from: string | null; person: CallPerson | null };

/** Returns who made each call. Erased calls are left out. */
export const nameCallers = async (
  { database, vault }: Pick<TelephonyContext, 'database' | 'vault'>,
  teamId: string,
  callIds: readonly string[],
): Promise<Map<string, NamedCaller>> => {
  const rows = await listCallers(database, teamId, callIds);
  const personOf = await findPersons({ database, vault }, rows);
  const named = rows.map(async (row) => {
    const { from } = await openParties(vault, { ...row, toParty: null });
    return [row.id, { from: partyText(from), person: personOf(row) }] as const;
  });
  return new Map(await Promise.all(named));
};
