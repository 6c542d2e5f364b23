import { hash } from 'node:crypto';
import type { CallEnds, CallFact, DeliveryFacts } from '../../contract/call-fact.ts';
import { type Delivery, stepOf } from '../../contract/delivery.ts';
import { type Party, toParty } from '../../contract/party.ts';
import { announcedBy, happened, partOfCall, talked } from '../../provider-parts/facts.ts';
import { type Fields, textOf, wordsFor } from '../../provider-parts/values.ts';
import { fieldsOf, instantOf, isScreened, talkSecondsOf } from './fields.ts';
import { holdsMessage, recordingsOf, transcriptsOf } from './recording.ts';

/** Known causes of an end. There may be more (docs: "Disconnect"; seen November 2026). */
const CAUSES = wordsFor({
  completed: 'hangup',
  no_answer: 'timeout',
  busy: 'busy',
  rejected: 'rejected',
  canceled: 'cancel',
  failed: 'callback-error invalid-bxml application-error account-limit node-capacity-exceeded error',
  unknown: 'unknown',
});

const DIRECTIONS = wordsFor({ inbound: 'inbound', outbound: 'outbound' });

/**
 * Returns the call. A delivery about a dialed leg has the leg's direction, `outbound`, and says nothing about the
 * inbound call except its id.
 */
const callOf = (fields: Fields): CallEnds | null => {
  const parent = textOf(fields, 'parentCallId');
  if (parent !== null) return partOfCall(parent);
  const callKey = textOf(fields, 'callId');
  if (callKey === null) return null;
  const partyOf = (name: string): Party | null => (name in fields ? toParty(textOf(fields, name)) : null);
  return {
    callKey,
    direction: DIRECTIONS.get(textOf(fields, 'direction') ?? '') ?? null,
    from: partyOf('from'),
    to: partyOf('to'),
  };
};

const endOf = (fields: Fields): Pick<CallFact, 'reason' | 'raw'> => {
  const cause = textOf(fields, 'cause') ?? 'unknown';
  const reason = CAUSES.get(cause);
  return reason ? { reason } : { reason: 'unknown', raw: cause };
};

/** `timeName`: the field that says when it happened. Default: `eventTime`, when it was reported. */
type FactDraft = Pick<CallFact, 'kind'> & Partial<CallFact> & { timeName?: string };

/** The call's own end. The length of an inbound call isn't talk time, because it includes our announcements. */
const ended = (fields: Fields, { direction }: CallEnds): FactDraft => ({
  kind: 'ended',
  timeName: 'endTime',
  ...endOf(fields),
  ...(direction === 'outbound' ? talked(talkSecondsOf(fields)) : {}),
});

/** Sent for each leg, however it ends. If a key press is required, only `gather` shows that a person answered. */
const legEnded = (fields: Fields, screened: boolean): FactDraft => ({
  kind: 'forward_ended',
  timeName: 'endTime',
  ...endOf(fields),
  ...(screened ? {} : talked(talkSecondsOf(fields))),
  reachedHuman: !screened && textOf(fields, 'cause') === 'hangup' && instantOf(fields, 'answerTime') !== null,
});

/**
 * Whether forwarding reached a person. The end of forwarding is reported on the caller's leg, and only if the caller is
 * still there. The cause is `hangup` after a conversation, but also if we hung up on someone who didn't press a key.
 */
export const hasReached = (delivery: Delivery): boolean =>
  !isScreened(delivery) && textOf(fieldsOf(delivery), 'cause') === 'hangup';

/** Whether the dialed person pressed a key. */
const isTaken = (delivery: Delivery): boolean => {
  const fields = fieldsOf(delivery);
  return (
    stepOf(delivery) === 'screened' && textOf(fields, 'digits') !== null && textOf(fields, 'parentCallId') !== null
  );
};

const tell = (delivery: Delivery, fields: Fields, facts: CallEnds): FactDraft | null => {
  const type = textOf(fields, 'eventType') ?? '';
  switch (type) {
    case 'initiate':
      return { kind: 'initiated', timeName: 'startTime' };
    case 'answer':
      return { kind: 'answered', timeName: 'answerTime' };
    case 'disconnect':
      return textOf(fields, 'parentCallId') ? legEnded(fields, isScreened(delivery)) : ended(fields, facts);
    case 'transferAnswer':
      return { kind: 'forwarded' };
    case 'gather':
      return isTaken(delivery) ? { kind: 'bridged' } : null;
    case 'transferDisconnect':
      return legEnded(fields, isScreened(delivery));
    case 'transferComplete':
      return { kind: 'forward_ended', ...endOf(fields), reachedHuman: hasReached(delivery) };
    case 'transcriptionAvailable':
      return null;
    case 'recordComplete':
    case 'recordingAvailable':
      // `recordComplete` and `recordingAvailable` report the same message. If the caller just hangs up, only the second
      // is sent.
      return holdsMessage(delivery)
        ? { kind: 'voicemail', key: `${facts.callKey} voicemail`, legId: null, timeName: 'endTime' }
        : null;
    default:
      return { kind: 'other', raw: type };
  }
};

const eventsOf = (delivery: Delivery, facts: CallEnds | null, receivedAt: number): CallFact[] => {
  const fields = fieldsOf(delivery);
  const draft = facts && tell(delivery, fields, facts);
  if (!draft) return [];
  const { timeName = '', ...event } = draft;
  const callId = textOf(fields, 'callId');
  return [
    {
      key: [callId, textOf(fields, 'eventType'), textOf(fields, 'eventTime')].join(' '),
      ...happened(instantOf(fields, timeName) ?? instantOf(fields, 'eventTime'), receivedAt),
      legId: textOf(fields, 'parentCallId') ? callId : null,
      ...event,
    },
  ];
};

/**
 * Makes the key from the plain fields, so that a different header or order of names doesn't make a second delivery.
 * Nested values contain nothing that we use, and could be too deep to serialize.
 */
export const keyOf = (delivery: Delivery): string => {
  const plain = Object.entries(fieldsOf(delivery)).filter(([, value]) => typeof value !== 'object');
  const sorted = plain.sort(([left], [right]) => (left < right ? -1 : 1));
  return hash('sha256', JSON.stringify([delivery.route, stepOf(delivery), sorted]), 'hex');
};

export const factsOf = (delivery: Delivery, receivedAt: number): DeliveryFacts => {
  const call = callOf(fieldsOf(delivery));
  const transcripts = transcriptsOf(delivery);
  if (transcripts.length > 0) return { call, events: [], recordings: transcripts.map(announcedBy), transcripts };
  return {
    call,
    events: eventsOf(delivery, call, receivedAt),
    recordings: recordingsOf(delivery),
  };
};
