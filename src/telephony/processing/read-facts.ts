import { hash } from 'node:crypto';
import type { CallEnds, CallFact, DeliveryFacts, RecordingFact, TranscriptFact } from '../contract/call-fact.ts';
import type { Delivery } from '../contract/delivery.ts';
import type { Party } from '../contract/party.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import { tidyLanguage, tidyText } from '../transcripts/transcript.ts';

const MOST_CHARACTERS = 200;
/** Limit for media URLs. Those that providers sign are up to 2,000 characters long. */
const MOST_URL_CHARACTERS = 8_192;
const EARLIEST = Date.parse('2010-01-01T00:00:00Z');
/** How far a provider's clock may be ahead of ours. A later time is ignored. */
const AHEAD_MS = 24 * 3_600_000;
const NUL = '\u0000';

const withoutNul = (text: string): string => (text.includes(NUL) ? text.replaceAll(NUL, '') : text);

/** Hashes a key that is too long to store or contains NUL, so that different keys stay different. */
const toKey = (text: string): string => {
  const plain = withoutNul(text);
  return plain.length <= MOST_CHARACTERS && plain === text ? text : hash('sha256', text, 'hex');
};

const toWords = <Text extends string | null | undefined>(text: Text): Text =>
  (typeof text === 'string' ? withoutNul(text).slice(0, MOST_CHARACTERS) : text) as Text;

/** Removes NUL from the number. `nameParty` has already removed it from the name. */
const toParty = (party: Party | null): Party | null => party && { ...party, value: withoutNul(party.value) };

const isPlausible = (instant: number, receivedAt: number): boolean =>
  instant >= EARLIEST && instant <= receivedAt + AHEAD_MS;

const tidyFact = (fact: CallFact, receivedAt: number): CallFact => ({
  ...fact,
  key: toKey(fact.key),
  legId: fact.legId === null ? null : toKey(fact.legId),
  ...(fact.raw === undefined ? {} : { raw: toWords(fact.raw) }),
  ...(isPlausible(fact.occurredAt, receivedAt) ? {} : { occurredAt: receivedAt, timeFrom: 'received' }),
});

const tidyCall = (call: CallEnds): CallEnds => ({
  ...call,
  callKey: toKey(call.callKey),
  from: toParty(call.from),
  to: toParty(call.to),
});

const tidyRecording = (fact: RecordingFact, receivedAt: number): RecordingFact => ({
  ...fact,
  recordingId: toKey(fact.recordingId),
  callKey: fact.callKey === null ? null : toKey(fact.callKey),
  startedAt: fact.startedAt !== null && isPlausible(fact.startedAt, receivedAt) ? fact.startedAt : null,
  source: toWords(fact.source),
  errorCode: toWords(fact.errorCode),
  mediaUrl: fact.mediaUrl === null || fact.mediaUrl.length > MOST_URL_CHARACTERS ? null : withoutNul(fact.mediaUrl),
});

/** A text of which nothing is left is a failure. */
const tidyTranscript = (fact: TranscriptFact): TranscriptFact => {
  const text = fact.text === null ? null : tidyText(fact.text) || null;
  return {
    ...fact,
    recordingId: toKey(fact.recordingId),
    callKey: fact.callKey === null ? null : toKey(fact.callKey),
    status: fact.status === 'ready' && text === null ? 'failed' : fact.status,
    text,
    language: tidyLanguage(fact.language),
    url: fact.url === null || fact.url.length > MOST_URL_CHARACTERS ? null : withoutNul(fact.url),
  };
};

/**
 * Reads what a verified delivery says, made safe to store. A provider may send anything, and callers control some of
 * it: absurd times, endless texts, and characters that a database rejects.
 */
export const readFacts = (provider: TelephonyProvider, delivery: Delivery, receivedAt: number): DeliveryFacts => {
  const facts = provider.factsOf(delivery, receivedAt);
  return {
    call: facts.call && tidyCall(facts.call),
    events: facts.events.map((fact) => tidyFact(fact, receivedAt)),
    recordings: facts.recordings.map((fact) => tidyRecording(fact, receivedAt)),
    ...(facts.transcripts && { transcripts: facts.transcripts.map(tidyTranscript) }),
  };
};
