import { type Queries, Secret } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Direction } from '../contract/call-event.ts';
import type { Party } from '../contract/party.ts';
import type { CallRow } from './call-store.ts';

type Name = Pick<CallRow, 'teamId' | 'accountId' | 'externalId'>;
type Field = 'from_party' | 'to_party';

const placeOf = ({ accountId, externalId }: Name, field: Field) => ({
  record: `calls/${accountId}/${externalId}`,
  field,
});

/** A private number identifies nobody, and two private callers aren't the same person. */
export const hashParty = async (vault: Vault, teamId: string, { kind, value }: Party): Promise<string | null> =>
  kind === 'anonymous' || value === '' ? null : vault.hash(teamId, `${kind} ${value}`);

/** A call's direction and its two ends, as stored. */
export type SealedEnds = Pick<CallRow, 'direction' | 'fromHash' | 'fromParty' | 'toHash' | 'toParty'>;

export const sealEnds = async (
  vault: Vault,
  call: Name,
  { direction, from, to }: { direction: Direction; from: Party; to: Party },
): Promise<SealedEnds> => {
  const seal = (party: Party, field: Field): Promise<string> =>
    vault.seal(call.teamId, placeOf(call, field), new Secret(JSON.stringify(party)));
  return {
    direction,
    fromHash: await hashParty(vault, call.teamId, from),
    fromParty: await seal(from, 'from_party'),
    toHash: await hashParty(vault, call.teamId, to),
    toParty: await seal(to, 'to_party'),
  };
};

const openParty = async (
  vault: Vault,
  call: Name,
  { sealed, field, queries }: { sealed: string | null; field: Field; queries?: Queries | undefined },
): Promise<Party | null> =>
  sealed === null ? null : JSON.parse((await vault.open(call.teamId, placeOf(call, field), sealed, queries)).reveal());

type Sealed = Name & Pick<CallRow, 'fromParty' | 'toParty'>;

/** The end that isn't the team. Null if it isn't known. */
export const openOtherParty = (vault: Vault, call: Sealed & Pick<CallRow, 'direction'>): Promise<Party | null> =>
  call.direction === 'inbound'
    ? openParty(vault, call, { sealed: call.fromParty, field: 'from_party' })
    : openParty(vault, call, { sealed: call.toParty, field: 'to_party' });

/** Null if it isn't known. */
export type Parties = { from: Party | null; to: Party | null };

export const openParties = async (vault: Vault, call: Sealed, queries?: Queries): Promise<Parties> => ({
  from: await openParty(vault, call, { sealed: call.fromParty, field: 'from_party', queries }),
  to: await openParty(vault, call, { sealed: call.toParty, field: 'to_party', queries }),
});
