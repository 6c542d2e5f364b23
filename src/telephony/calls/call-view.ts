import type { Static } from 'typebox';
import { Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import type { CallFact } from '../contract/call-fact.ts';
import { InstantOrNull, InstantText, NumberOrNull, TextOrNull, WholeOrNull } from '../contract/schemas.ts';
import { CallPerson } from '../people/person.ts';
import { TranscriptView } from '../transcripts/transcript-view.ts';
import type { CallSummary } from './call-summary.ts';
import { OUTCOMES } from './outcome-names.ts';

const call = {
  id: Type.String(),
  provider: Type.String(),
  externalId: Type.String(),
  direction: Type.Enum(['inbound', 'outbound']),
  from: Type.Union([Type.String(), Type.Null()], { description: 'null if private or not reported' }),
  to: TextOrNull,
  status: Type.Enum(['ringing', 'in_progress', 'ended']),
  outcome: Type.Union([Type.Enum(OUTCOMES), Type.Null()], { description: 'null until the call ends' }),
  startedAt: InstantText,
  answeredAt: InstantOrNull,
  endedAt: InstantOrNull,
  talkSeconds: WholeOrNull,
  returnedAt: Type.Union([InstantText, Type.Null()], {
    description:
      'For an unanswered call: when the team called back, the caller got through later, or someone marked it as returned',
  }),
  fromName: Type.Union([Type.String(), Type.Null()], {
    description: "The caller's name, if the provider looks it up",
  }),
  demo: Type.Boolean({ description: "Made by a simulation: it isn't a real call, and reports leave it out" }),
  person: Type.Union([CallPerson, Type.Null()], {
    description:
      'Who the call was with, if a CRM whose lookups are on has one contact with the number. Always null in events: the name is known only later',
  }),
};

/** A call as the API returns it. */
export const CallView = Type.Object(call, { title: 'Call' });
export type CallView = Static<typeof CallView>;

export const CallStoryView = Type.Object(
  {
    ...call,
    evidence: Type.Array(Type.String(), { description: 'The keys of the events that decided the outcome' }),
    events: Type.Array(
      Type.Object(
        {
          key: Type.String(),
          kind: Type.String(),
          at: InstantText,
          timeFrom: Type.Enum(['provider', 'received']),
          legId: TextOrNull,
          reason: TextOrNull,
          talkSeconds: WholeOrNull,
          reachedHuman: Type.Union([Type.Boolean(), Type.Null()]),
          raw: TextOrNull,
        },
        { title: 'CallStep' },
      ),
    ),
    withheld: Type.Optional(
      Type.Array(Type.Literal('recordings'), {
        description: 'What a restricted token may not see, so that it is left out here',
      }),
    ),
    recordings: Type.Array(
      Type.Object(
        {
          ...{ id: Type.String(), state: Type.String(), startedAt: InstantOrNull, durationSeconds: NumberOrNull },
          transcript: TranscriptView,
        },
        { title: 'RecordingOfCall' },
      ),
    ),
  },
  { title: 'CallDetails' },
);

export const toCallView = ({
  numberLabel,
  isUntaken,
  isWaiting,
  markedReturnedAt,
  hasRecording,
  isSimulated,
  ...call
}: CallSummary): CallView => ({
  ...call,
  startedAt: toIso(call.startedAt),
  answeredAt: toIsoOrNull(call.answeredAt),
  endedAt: toIsoOrNull(call.endedAt),
  returnedAt: toIsoOrNull(call.returnedAt),
  demo: isSimulated,
});

export const toCallEventView = ({ key, kind, occurredAt, timeFrom, legId, ...told }: CallFact) => ({
  ...{ key, kind, at: toIso(occurredAt), timeFrom, legId },
  reason: told.reason ?? null,
  talkSeconds: told.talkSeconds ?? null,
  reachedHuman: told.reachedHuman ?? null,
  raw: told.raw ?? null,
});
