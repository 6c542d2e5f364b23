import { Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { CallEvent } from '../contract/call-event.ts';
import type { Party } from '../contract/party.ts';
import { isUntaken } from './call.ts';
import { openParties } from './call-parties.ts';
import type { ListedCall } from './call-store.ts';

const Instant = Type.String({ format: 'date-time' });
const InstantOrNull = Type.Union([Instant, Type.Null()]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const WholeOrNull = Type.Union([Type.Integer(), Type.Null()]);

export const OUTCOMES = [
  'answered',
  'missed',
  'abandoned',
  'voicemail',
  'busy',
  'rejected',
  'canceled',
  'failed',
  'unknown',
] as const;

const call = {
  id: Type.String(),
  provider: Type.String(),
  externalId: Type.String(),
  direction: Type.Enum(['inbound', 'outbound']),
  from: Type.Union([Type.String(), Type.Null()], { description: 'null if private or not reported' }),
  to: TextOrNull,
  status: Type.Enum(['ringing', 'in_progress', 'ended']),
  outcome: Type.Union([Type.Enum([...OUTCOMES]), Type.Null()], { description: 'null until the call ends' }),
  startedAt: Instant,
  answeredAt: InstantOrNull,
  endedAt: InstantOrNull,
  talkSeconds: WholeOrNull,
  returnedAt: Type.Union([Instant, Type.Null()], {
    description:
      'For an unanswered call: when the team called back, the caller got through later, or somebody marked it as returned',
  }),
};
export const Call = Type.Object(call);

export const CallWithStory = Type.Object({
  ...call,
  evidence: Type.Array(Type.String(), { description: 'The keys of the events that decided the outcome' }),
  events: Type.Array(
    Type.Object({
      key: Type.String(),
      kind: Type.String(),
      at: Instant,
      timeFrom: Type.Enum(['provider', 'received']),
      legId: TextOrNull,
      reason: TextOrNull,
      talkSeconds: WholeOrNull,
      reachedHuman: Type.Union([Type.Boolean(), Type.Null()]),
      raw: TextOrNull,
    }),
  ),
  recordings: Type.Array(
    Type.Object({
      id: Type.String(),
      state: Type.String(),
      startedAt: InstantOrNull,
      durationSeconds: Type.Union([Type.Number(), Type.Null()]),
    }),
  ),
});

/** When an unanswered call was first returned, in any way. */
export const returnedAtOf = (row: ListedCall): number | null => {
  if (!isUntaken(row)) return null;
  const instants = [row.markedReturnedAt, row.calledBackAt, row.calledAgainAt].filter((at) => at !== null);
  return instants.length > 0 ? Math.min(...instants) : null;
};

/** Null if private or not reported. */
export const partyText = (party: Party | null): string | null => (party && party.value !== '' ? party.value : null);

export const toCallAnswer = async (vault: Vault, row: ListedCall) => {
  const { from, to } = await openParties(vault, row);
  return {
    id: row.id,
    provider: row.provider,
    externalId: row.externalId,
    direction: row.direction,
    from: partyText(from),
    to: partyText(to),
    status: row.status,
    outcome: row.outcome,
    startedAt: toIso(row.startedAt),
    answeredAt: toIsoOrNull(row.answeredAt),
    endedAt: toIsoOrNull(row.endedAt),
    talkSeconds: row.talkSeconds,
    returnedAt: toIsoOrNull(returnedAtOf(row)),
  };
};

export type CallAnswer = Awaited<ReturnType<typeof toCallAnswer>>;

export const toEventAnswer = (event: CallEvent) => ({
  key: event.key,
  kind: event.kind,
  at: toIso(event.occurredAt),
  timeFrom: event.timeFrom,
  legId: event.legId,
  reason: event.reason ?? null,
  talkSeconds: event.talkSeconds ?? null,
  reachedHuman: event.reachedHuman ?? null,
  raw: event.raw ?? null,
});
