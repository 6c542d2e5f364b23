import { type Queries, Secret, Type } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import type { Direction } from '../contract/call-fact.ts';
import { listPersons, type PersonRow } from './person-store.ts';

/** The contact of a caller: who they are, and the page about them at the provider. */
export const CallPerson = Type.Object(
  {
    name: Type.String(),
    url: Type.Union([Type.String(), Type.Null()], { description: 'The page of the contact at the provider' }),
    provider: Type.String(),
  },
  { title: 'Person' },
);

export type CallPerson = { name: string; url: string | null; provider: string };

/** A contact as it's sealed. `id` is its ID at the provider. */
export type KeptPerson = { id: string; name: string; url: string | null };

const placeOf = (partyHash: string) => ({ record: `call_people/${partyHash}`, field: 'person' });

export const SEALED_PEOPLE: SealedColumn = {
  table: 'call_people',
  column: 'person',
  placedBy: ['party_hash'],
  placesOf: (partyHash = '') => [placeOf(partyHash)],
};

type Key = Pick<PersonRow, 'teamId' | 'partyHash'>;

export const sealPerson = (vault: Vault, { teamId, partyHash }: Key, person: KeptPerson): Promise<string> =>
  vault.seal(teamId, placeOf(partyHash), new Secret(JSON.stringify(person)));

export const openPerson = async (
  vault: Vault,
  { teamId, partyHash, person }: Key & Pick<PersonRow, 'person'>,
): Promise<KeptPerson | null> =>
  person === null ? null : JSON.parse((await vault.open(teamId, placeOf(partyHash), person)).reveal());

/** A call, as far as it says whose name it has. */
export type NamedCall = {
  teamId: string;
  direction: Direction;
  fromHash: string | null;
  toHash: string | null;
  namedAt: number | null;
};

/** The hash of the number that a call was with, which isn't the team's own. Null if it was private. */
export const otherHashOf = ({ direction, fromHash, toHash }: Omit<NamedCall, 'teamId' | 'namedAt'>): string | null =>
  direction === 'inbound' ? fromHash : toHash;

/**
 * Finds who the calls were with. Asks the database only if one of them has a name, and opens each name once. A name
 * belongs to its number, so all calls with the number have it.
 */
export const findPersons = async (
  { database, vault }: { database: Queries; vault: Vault },
  calls: readonly NamedCall[],
): Promise<(call: NamedCall) => CallPerson | null> => {
  const numbers = calls.flatMap((call) => {
    const partyHash = otherHashOf(call);
    return call.namedAt === null || partyHash === null ? [] : [{ teamId: call.teamId, partyHash }];
  });
  const rows = await listPersons(database, numbers);
  const opened = await Promise.all(
    rows.map(async (row) => {
      const kept = await openPerson(vault, row);
      const person = kept && { name: kept.name, url: kept.url, provider: row.provider ?? '' };
      return [`${row.teamId} ${row.partyHash}`, person] as const;
    }),
  );
  const persons = new Map(opened);
  return (call) => persons.get(`${call.teamId} ${otherHashOf(call)}`) ?? null;
};
