import { type Queries, Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import type { Direction } from '../contract/call-fact.ts';
import type { Party } from '../contract/party.ts';
import type { CallRow } from './call-store.ts';

type Name = Pick<CallRow, 'teamId' | 'accountId' | 'externalId'>;
type Field = 'from_party' | 'to_party';

const placeOf = ({ accountId, externalId }: Omit<Name, 'teamId'>, field: Field) => ({
  record: `calls/${accountId}/${externalId}`,
  field,
});

export const SEALED_CALLS: readonly SealedColumn[] = (['from_party', 'to_party'] as const).map((column) => ({
  table: 'calls',
  column,
  placedBy: ['account_id', 'external_id'],
  placesOf: (accountId = '', externalId = '') => [placeOf({ accountId, externalId }, column)],
}));

/** Hashes a party. A private number has no hash, because two private callers needn't be the same person. */
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

type OtherParty = Name & Pick<CallRow, 'direction'> & { otherHash: string | null; otherParty: string | null };

const openOtherParty = (vault: Vault, { otherParty, ...call }: OtherParty): Promise<Party | null> =>
  openParty(vault, call, { sealed: otherParty, field: call.direction === 'inbound' ? 'from_party' : 'to_party' });

/**
 * Checks whether the other party of a call is wanted, and opens as few parties as possible. A name makes the sealed text
 * longer. So if a party without a name was opened, a sealed text of the same length and with the same number has no name
 * either, and gets the same verdict.
 */
export const createPartyCheck = (vault: Vault, isWanted: (party: Party | null) => boolean) => {
  const nameless = new Map<string, { length: number; verdict: boolean }>();
  let opened = 0;
  return {
    /** How many parties were opened. */
    get opened(): number {
      return opened;
    },
    async check(call: OtherParty): Promise<boolean> {
      const { otherHash, otherParty } = call;
      const known = otherHash === null ? undefined : nameless.get(otherHash);
      if (known && known.length === otherParty?.length) return known.verdict;
      opened++;
      const party = await openOtherParty(vault, call);
      const verdict = isWanted(party);
      if (otherHash !== null && otherParty !== null && party?.name === undefined)
        nameless.set(otherHash, { length: otherParty.length, verdict });
      return verdict;
    },
  };
};

/** Caller and callee. Null if unknown. */
export type Parties = { from: Party | null; to: Party | null };

export const openParties = async (vault: Vault, call: Sealed, queries?: Queries): Promise<Parties> => ({
  from: await openParty(vault, call, { sealed: call.fromParty, field: 'from_party', queries }),
  to: await openParty(vault, call, { sealed: call.toParty, field: 'to_party', queries }),
});
