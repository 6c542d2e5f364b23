import { type Clock, type NewId, Secret, type Transaction } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import { assembleCall } from './call.ts';
import type { CallFacts, Direction, Report } from './call-event.ts';
import { type CallRow, insertCallEvent, listCallEvents, lockCall, updateCall } from './call-store.ts';
import type { DeliveryRow } from './delivery-store.ts';
import type { Party } from './party.ts';

export type PutCallDependencies = { vault: Vault; clock: Clock; newId: NewId };

type Row = Pick<DeliveryRow, 'id' | 'teamId' | 'accountId' | 'provider' | 'receivedAt'>;
type SealedParty = { hash: string | null; sealed: string };

/** What a delivery tells of the call, ready to be stored: sealed before the transaction begins. */
export type SealedFacts = {
  callKey: string;
  direction: Direction | null;
  from: SealedParty | null;
  to: SealedParty | null;
};

const placeOf = (accountId: string, callKey: string, field: 'from_party' | 'to_party') => ({
  record: `calls/${accountId}/${callKey}`,
  field,
});

/** Somebody who hides the number is nobody in particular, and not the same person twice. */
export const hashParty = async (vault: Vault, teamId: string, { kind, value }: Party): Promise<string | null> =>
  kind === 'anonymous' || value === '' ? null : vault.hash(teamId, `${kind} ${value}`);

export const sealFacts = async (
  { vault }: { vault: Vault },
  { teamId, accountId }: Row,
  { callKey, direction, from, to }: CallFacts,
): Promise<SealedFacts> => {
  const seal = async (party: Party | null, field: 'from_party' | 'to_party'): Promise<SealedParty | null> =>
    party && {
      hash: await hashParty(vault, teamId, party),
      sealed: await vault.seal(teamId, placeOf(accountId, callKey, field), new Secret(JSON.stringify(party))),
    };
  return { callKey, direction, from: await seal(from, 'from_party'), to: await seal(to, 'to_party') };
};

export const openParties = async (
  vault: Vault,
  {
    teamId,
    accountId,
    externalId,
    fromParty,
    toParty,
  }: Pick<CallRow, 'teamId' | 'accountId' | 'externalId' | 'fromParty' | 'toParty'>,
): Promise<{ from: Party | null; to: Party | null }> => {
  const open = async (sealed: string | null, field: 'from_party' | 'to_party'): Promise<Party | null> =>
    sealed === null
      ? null
      : JSON.parse((await vault.open(teamId, placeOf(accountId, externalId, field), sealed)).reveal());
  return { from: await open(fromParty, 'from_party'), to: await open(toParty, 'to_party') };
};

type Added = { row: Row; report: Report; facts: SealedFacts | null };

/**
 * Of several deliveries that tell of the call the first in this order is believed, which does not depend on who came
 * first: a call that came in stays one, whatever is said of the legs that were dialled for it.
 */
const rankOf = ({ row, facts }: Added): string => `${facts?.direction === 'inbound' ? 0 : 1} ${row.id}`;

const withFacts = (call: CallRow, added: Added): CallRow => {
  const { facts } = added;
  const toldBy = rankOf(added);
  if (!facts?.direction || !facts.from || !facts.to || (call.toldBy !== null && call.toldBy <= toldBy)) return call;
  return {
    ...call,
    toldBy,
    direction: facts.direction,
    fromHash: facts.from.hash,
    fromParty: facts.from.sealed,
    toHash: facts.to.hash,
    toParty: facts.to.sealed,
  };
};

/** Adds what deliveries tell to their one call, and puts the call together anew from everything that is known of it. */
export const putCall = async (
  { clock, newId }: PutCallDependencies,
  tx: Transaction,
  added: readonly Added[],
): Promise<void> => {
  const [first] = added;
  const externalId = first?.facts?.callKey;
  if (!first || externalId === undefined) return;
  const { teamId, accountId, provider } = first.row;
  const now = clock.now();
  const locked = await lockCall(tx, { id: newId(), teamId, accountId, provider, externalId }, first.row.receivedAt);
  if (!locked) throw new Error('A call is of another team than its account.');
  const call = added.reduce(withFacts, locked);
  for (const { row, report } of added)
    for (const event of report.events) await insertCallEvent(tx, locked, row.id, event);
  const events = await listCallEvents(tx, teamId, locked.id);
  const { evidence, ...state } = assembleCall(call, events);
  const startedAt = events.length > 0 ? state.startedAt : call.startedAt;
  await updateCall(tx, { ...call, ...state, startedAt, evidence: JSON.stringify(evidence) }, now);
};
