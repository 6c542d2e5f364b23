import { deliveryDigestOf } from '../../src/telephony/processing/delivery-payload.ts';
import { twilio } from '../../src/telephony/providers/twilio/index.ts';
import {
  CALLER,
  COLLEAGUE,
  newCallSid,
  newRecordingSid,
  OUR_NUMBER,
  type Params,
  RECORDING,
  SERVICE_URL,
  signForm,
  VOICE,
} from './telephony-stage.ts';

/** One webhook request of a story, before it is signed. */
export type Chapter = { path: string; query: string; params: Params };

/** What a call must be once its whole story has been sent, in any order and any number of times. */
export type Ending = { outcome: string; talkSeconds: number | null; recordings: number };

export type Story = { sid: string; chapters: readonly Chapter[]; ending: Ending };

type Ids = { sid: string; leg: string; recordings: readonly string[] };
type Shape = { ending: Ending; tell(ids: Ids): Chapter[] };

const EVENTS = 'call-progress-events';
/** The provider's time, which has nothing to do with when we receive it. */
const AT = (second: number): string => new Date(Date.UTC(2026, 10, 15, 11, 0, second)).toUTCString();

const inbound = (sid: string): Params => ({ CallSid: sid, From: CALLER, To: OUR_NUMBER, Direction: 'inbound' });
const outbound = (sid: string): Params => ({ CallSid: sid, From: OUR_NUMBER, To: CALLER, Direction: 'outbound-api' });

const voice = (params: Params, query = ''): Chapter => ({ path: VOICE, query, params });
const rings = (sid: string): Chapter => voice({ ...inbound(sid), CallStatus: 'ringing' });
const dialed = (sid: string, status: string, more: Params = {}): Chapter =>
  voice({ ...inbound(sid), CallStatus: 'in-progress', DialCallStatus: status, ...more }, '&step=dialed');
const message = (sid: string): Chapter =>
  voice({ ...inbound(sid), CallStatus: 'in-progress', RecordingDuration: '9' }, '&step=voicemail');

const status = (call: Params, word: string, sequence: number, second: number, more: Params = {}): Chapter =>
  voice(
    {
      ...call,
      CallStatus: word,
      CallbackSource: EVENTS,
      SequenceNumber: `${sequence}`,
      Timestamp: AT(second),
      ...more,
    },
    '&step=status',
  );

/** Of a leg that was dialed for the call. */
const legStatus = ({ sid, leg }: Ids, word: string, sequence: number, second: number, more: Params = {}): Chapter =>
  status(
    { CallSid: leg, ParentCallSid: sid, From: CALLER, To: COLLEAGUE, Direction: 'outbound-dial' },
    word,
    sequence,
    second,
    more,
  );

const recorded = (sid: string, recordingSid: string, word: string, more: Params = {}): Chapter => ({
  path: RECORDING,
  query: '',
  params: {
    CallSid: sid,
    RecordingSid: recordingSid,
    RecordingStatus: word,
    RecordingSource: 'RecordVerb',
    RecordingStartTime: AT(20),
    ...more,
  },
});

const completed = (sid: string, recordingSid: string): Chapter =>
  recorded(sid, recordingSid, 'completed', { RecordingDuration: '9', RecordingChannels: '1' });

/** Every course of a call that the property is tested with. */
export const SHAPES = {
  answered: {
    ending: { outcome: 'answered', talkSeconds: 17, recordings: 1 },
    tell: (ids) => [
      rings(ids.sid),
      legStatus(ids, 'initiated', 0, 2),
      legStatus(ids, 'ringing', 1, 3),
      legStatus(ids, 'in-progress', 2, 5),
      recorded(ids.sid, ids.recordings[0] ?? '', 'in-progress'),
      legStatus(ids, 'completed', 3, 22, { CallDuration: '17' }),
      dialed(ids.sid, 'completed', { DialCallSid: ids.leg, DialCallDuration: '17', DialBridged: 'true' }),
      completed(ids.sid, ids.recordings[0] ?? ''),
      status(inbound(ids.sid), 'completed', 0, 23, { CallDuration: '23' }),
    ],
  },
  missed: {
    ending: { outcome: 'missed', talkSeconds: null, recordings: 0 },
    tell: (ids) => [
      rings(ids.sid),
      legStatus(ids, 'ringing', 1, 3),
      legStatus(ids, 'no-answer', 2, 20),
      dialed(ids.sid, 'no-answer', { DialCallSid: ids.leg }),
      status(inbound(ids.sid), 'completed', 0, 24, { CallDuration: '24' }),
    ],
  },
  voicemail: {
    ending: { outcome: 'voicemail', talkSeconds: null, recordings: 1 },
    tell: ({ sid, recordings }) => [
      rings(sid),
      dialed(sid, 'busy'),
      message(sid),
      completed(sid, recordings[0] ?? ''),
      status(inbound(sid), 'completed', 0, 30, { CallDuration: '30' }),
    ],
  },
  abandoned: {
    ending: { outcome: 'abandoned', talkSeconds: null, recordings: 0 },
    tell: (ids) => [
      rings(ids.sid),
      legStatus(ids, 'ringing', 1, 3),
      legStatus(ids, 'canceled', 2, 8),
      dialed(ids.sid, 'canceled', { DialCallSid: ids.leg, CallStatus: 'completed' }),
      status(inbound(ids.sid), 'completed', 0, 8, { CallDuration: '8' }),
    ],
  },
  'failed before it was answered': {
    ending: { outcome: 'failed', talkSeconds: null, recordings: 0 },
    tell: ({ sid }) => [rings(sid), status(inbound(sid), 'failed', 0, 4)],
  },
  'answered with several recordings, some of which came to nothing': {
    ending: { outcome: 'answered', talkSeconds: 12, recordings: 3 },
    tell: ({ sid, recordings: [first = '', second = '', third = ''] }) => [
      rings(sid),
      recorded(sid, first, 'in-progress', { RecordingTrack: 'both' }),
      recorded(sid, first, 'absent', { RecordingDuration: '0' }),
      recorded(sid, second, 'in-progress'),
      recorded(sid, second, 'failed', { ErrorCode: '31000' }),
      completed(sid, second),
      completed(sid, third),
      dialed(sid, 'completed', { DialCallDuration: '12', DialBridged: 'true' }),
      status(inbound(sid), 'completed', 0, 20, { CallDuration: '20' }),
    ],
  },
  'made by us and answered': {
    ending: { outcome: 'answered', talkSeconds: 15, recordings: 0 },
    tell: ({ sid }) => [
      status(outbound(sid), 'initiated', 0, 1),
      status(outbound(sid), 'ringing', 1, 2),
      status(outbound(sid), 'in-progress', 2, 5),
      status(outbound(sid), 'completed', 3, 20, { CallDuration: '15' }),
    ],
  },
  'made by us and not taken': {
    ending: { outcome: 'missed', talkSeconds: null, recordings: 0 },
    tell: ({ sid }) => [
      status(outbound(sid), 'initiated', 0, 1),
      status(outbound(sid), 'ringing', 1, 2),
      status(outbound(sid), 'no-answer', 2, 30, { CallDuration: '0' }),
    ],
  },
} satisfies Record<string, Shape>;

export type ShapeName = keyof typeof SHAPES;
export const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[];

export const tellStory = (name: ShapeName): Story => {
  const shape: Shape = SHAPES[name];
  const ids = {
    sid: newCallSid(),
    leg: newCallSid(),
    recordings: [newRecordingSid(), newRecordingSid(), newRecordingSid()],
  };
  return { sid: ids.sid, chapters: shape.tell(ids), ending: shape.ending };
};

export type StoryAccount = { id: string; accountId: string };

/** A chapter as the provider sends it, and the digest that its id is made from. */
export const signChapter = ({ id, accountId }: StoryAccount, { path, query, params }: Chapter) => {
  const request = signForm(`${SERVICE_URL}${path}?account=${id}${query}`, { AccountSid: accountId, ...params });
  const { method, url, headers, payload } = request;
  const route = path === VOICE ? ('voice' as const) : ('recording' as const);
  const key = twilio.keyOf({ route, method, target: url, headers, body: Buffer.from(payload) });
  return { ...request, digest: deliveryDigestOf(id, key) };
};

export type SignedChapter = ReturnType<typeof signChapter>;
