import { getExpectedTwilioSignature, validateRequest } from 'twilio/lib/webhooks/webhooks.js';
import { testProvider } from '../../../../test/harness/provider-contract.ts';
import { SHAPE_NAMES, tellStory } from '../../../../test/harness/telephony-stories.ts';
import {
  deliver,
  deliverForm,
  type Form,
  PUBLIC_URL,
  readFixture,
  withHeaders,
} from '../../../../test/harness/vendors/deliver.ts';
import { markupReplies, markupSignatures } from '../../../../test/harness/vendors/markup.ts';
import { contentTypeOf, type Delivery, FORM } from '../../contract/delivery.ts';
import { twilio } from './index.ts';

type Vector = {
  name: string;
  authToken: string;
  method: 'GET' | 'POST';
  url: string;
  contentType?: string;
  params?: Form;
  rawBody?: string;
  headers: Form;
};

const SECRET = 'an-auth-token';
const HEADER = 'x-twilio-signature';
const ACCOUNT = `AC${'1'.repeat(32)}`;
const CALL = `CA${'0'.repeat(32)}`;
const LEG = `CA${'2'.repeat(32)}`;
const RECORDING = `RE${'3'.repeat(32)}`;
const NOON = Date.parse('2026-11-16T12:00:00Z');
const RINGING = { AccountSid: ACCOUNT, CallSid: CALL, From: '+15551230001', To: '+15551239999', CallStatus: 'ringing' };

const formOf = (delivery: Delivery): Form =>
  delivery.method === 'POST' && contentTypeOf(delivery) === FORM
    ? Object.fromEntries(new URLSearchParams(delivery.body.toString()))
    : {};
const say = (changes: Form, where: Parameters<typeof deliverForm>[1] = {}) =>
  deliverForm({ ...RINGING, Direction: 'inbound', ...changes }, where);
const told = (changes: Form) =>
  say({ CallbackSource: 'call-progress-events', Timestamp: 'Mon, 16 Nov 2026 12:00:30 +0000', ...changes });

const stories = SHAPE_NAMES.map((name) => {
  const { chapters, ending } = tellStory(name);
  const deliveries = chapters.map(({ path, query, params }) => ({
    ...deliverForm({ AccountSid: ACCOUNT, ...params }, { route: path.endsWith('voice') ? 'voice' : 'recording' }),
    target: `${path}?account=a1${query}`,
  }));
  return { name, deliveries, ending };
});

testProvider(twilio, {
  now: NOON,
  secret: SECRET,
  otherSecret: 'another-auth-token',
  sign: (delivery, secret = SECRET) =>
    withHeaders(delivery, {
      [HEADER]: getExpectedTwilioSignature(secret, `${PUBLIC_URL}${delivery.target}`, formOf(delivery)),
    }),
  isAcceptedByVendor: (delivery) =>
    validateRequest(SECRET, String(delivery.headers[HEADER]), `${PUBLIC_URL}${delivery.target}`, formOf(delivery)),
  proofs: [HEADER],
  covers: { address: true, content: true },
  deliveries: Object.fromEntries(
    stories.flatMap(({ name, deliveries }) =>
      deliveries.map((delivery, index): [string, Delivery] => [`${name}, ${index + 1}`, delivery]),
    ),
  ),
  withText: (text) => deliverForm({ ...RINGING, CallerName: text, FromCity: text }),
  ...markupSignatures(RINGING, {
    CallSid: CALL,
    ParentCallSid: CALL,
    DialCallSid: LEG,
    AccountSid: ACCOUNT,
    RecordingSid: RECORDING,
  }),
  published: readFixture<Vector[]>('twilio', 'signatures').map(
    ({ name, authToken, method, url, contentType = FORM, params = {}, rawBody, headers }) => {
      const { origin } = new URL(url);
      const target = url.slice(origin.length);
      const body = rawBody ?? (method === 'POST' ? new URLSearchParams(params).toString() : '');
      const delivery = { ...withHeaders(deliver(contentType, body), headers), method, target };
      return {
        name,
        delivery,
        secret: authToken,
        publicUrl: origin,
        // The oldest example has a different address and an id that is too short. It's signed correctly, but isn't
        // ours.
        ...(/published/.test(name) ? { verdict: 'malformed' } : {}),
        bent: [
          { ...delivery, target: `${target}${target.includes('?') ? '&' : '?'}x=1` },
          ...(body ? [{ ...delivery, body: Buffer.from(`${body} `) }] : []),
        ],
      };
    },
  ),
  recognized: [['its own header', withHeaders(deliverForm({}), { [HEADER]: 'x' })]],
  strangers: [
    ['ids of another form', say({ AccountSid: '152c7660-e9cb-4d62-a4c9-000000000001' })],
    ['a form that names no account', deliverForm({ CallSid: CALL })],
  ],
  accounts: [
    ['a form', say({}), ACCOUNT],
    ['nothing', deliverForm({}), null],
  ],
  called: [['a form', say({}), '+15551239999']],
  calls: [
    [
      'between two ends',
      say({}),
      {
        callKey: CALL,
        direction: 'inbound',
        from: { kind: 'number', value: '+15551230001' },
        to: { kind: 'number', value: '+15551239999' },
      },
    ],
    ['of a leg', say({ CallSid: LEG, ParentCallSid: CALL }), { callKey: CALL, direction: null, from: null, to: null }],
    [
      'that goes out',
      deliverForm({ CallSid: CALL, Direction: 'outbound-api' }),
      { callKey: CALL, direction: 'outbound', from: null, to: null },
    ],
    ['none', deliverForm({ CallStatus: 'ringing' }), null],
  ],
  events: [
    ['it rings', say({}), [{ kind: 'ringing', legId: null }]],
    [
      'it ended',
      told({ CallStatus: 'completed', CallDuration: '23' }),
      [{ kind: 'ended', legId: null, reason: 'completed', talkSeconds: 23 }],
    ],
    [
      'an absurd duration',
      told({ CallStatus: 'busy', CallDuration: '999999999' }),
      [{ kind: 'ended', legId: null, reason: 'busy' }],
    ],
    [
      'a leg was answered',
      told({ CallSid: LEG, ParentCallSid: CALL, CallStatus: 'in-progress' }),
      [{ kind: 'forwarded', legId: LEG }],
    ],
    [
      'an unknown status is kept',
      say({ CallStatus: 'teleported' }),
      [{ kind: 'other', legId: null, raw: 'teleported' }],
    ],
    [
      'a machine answered the forwarded call',
      say({ CallStatus: '', DialCallStatus: 'completed', DialBridged: 'false' }, { step: 'dialed' }),
      [{ kind: 'forward_ended', legId: null, reason: 'completed', reachedHuman: false }],
    ],
    [
      'a message was left',
      say({ CallStatus: '', RecordingDuration: '9' }, { step: 'voicemail' }),
      [{ kind: 'voicemail', legId: null }],
    ],
    ['an empty message was left', say({ CallStatus: '', RecordingDuration: '0' }, { step: 'voicemail' }), []],
  ],
  times: [
    ['as reported', told({}), NOON + 30_000, 'provider'],
    ['without a zone', told({ Timestamp: '2026-11-16 12:00:10' }), NOON + 10_000, 'provider'],
    ['not reported', say({}), NOON, 'received'],
    ['nonsense', told({ Timestamp: 'yesterday' }), NOON, 'received'],
  ],
  recordings: [
    [
      'available',
      deliverForm({
        CallSid: CALL,
        RecordingSid: RECORDING,
        RecordingStatus: 'completed',
        RecordingDuration: '42',
        RecordingChannels: '2',
        RecordingSource: 'DialVerb',
      }),
      {
        recordingId: RECORDING,
        status: 'available',
        callKey: CALL,
        durationMs: 42_000,
        channels: 2,
        source: 'DialVerb',
        mediaExpiresAt: null,
      },
    ],
    [
      'failed',
      deliverForm({ RecordingSid: RECORDING, RecordingStatus: 'failed', ErrorCode: '31000' }),
      { status: 'failed', errorCode: '31000', callKey: null },
    ],
    ['an unknown status', deliverForm({ RecordingSid: RECORDING, RecordingStatus: 'odd' }), null],
  ],
  transcripts: [
    [
      'ready',
      deliverForm(
        {
          ...{ AccountSid: ACCOUNT, CallSid: CALL, From: '+15551230001', To: '+15551239999', CallStatus: 'completed' },
          ...{ RecordingSid: RECORDING, TranscriptionSid: `TR${'4'.repeat(32)}`, TranscriptionStatus: 'completed' },
          ...{ TranscriptionText: 'Please call me back from 3 to 5.', TranscriptionType: 'fast' },
        },
        { route: 'recording' },
      ),
      { recordingId: RECORDING, callKey: CALL, status: 'ready', text: 'Please call me back from 3 to 5.' },
    ],
    [
      'failed',
      deliverForm({ RecordingSid: RECORDING, CallSid: CALL, TranscriptionStatus: 'failed', TranscriptionText: '' }),
      { status: 'failed', text: null },
    ],
    ['nothing', say({}), null],
  ],
  stories: stories.map(
    ({ name, deliveries, ending }) => [name, deliveries, ending.outcome, ending.talkSeconds] as const,
  ),
  occasions: [
    ['a call comes in', say({}), { kind: 'answer' }],
    [
      'nobody answered the forwarded call',
      say({ DialCallStatus: 'no-answer' }, { step: 'dialed' }),
      { kind: 'after_dial', reached: false },
    ],
    [
      'someone answered',
      say({ DialCallStatus: 'completed', DialBridged: 'true' }, { step: 'dialed' }),
      { kind: 'after_dial', reached: true },
    ],
    [
      'a machine answered',
      say({ DialCallStatus: 'completed', DialBridged: 'false' }, { step: 'dialed' }),
      { kind: 'after_dial', reached: false },
    ],
    ['a message was left', say({ RecordingDuration: '9' }, { step: 'voicemail' }), { kind: 'after_voicemail' }],
    ['the dialed person picked up', say({}, { step: 'screen' }), { kind: 'screen' }],
    ['a key was pressed', say({ Digits: '1' }, { step: 'screened' }), { kind: 'screened', pressed: true }],
    ['no key was pressed', say({}, { step: 'screened' }), { kind: 'screened', pressed: false }],
    ['the call has ended', told({ CallStatus: 'completed' }), { kind: 'nothing' }],
    ['it rings, as a notice', told({}), { kind: 'nothing' }],
    ['it rings, at the status URL', say({}, { step: 'status' }), { kind: 'nothing' }],
    ['a recording is available', say({ RecordingStatus: 'completed' }, { route: 'recording' }), { kind: 'nothing' }],
  ],
  ...markupReplies('dialed'),
  acknowledged: 204,
  account: { accountId: ACCOUNT, secrets: [{ id: 's1', value: SECRET }], api: {} },
  fetched: [
    [
      'by its ids, never where the payload points',
      { recordingId: RECORDING, mediaUrl: 'https://evil.example/a.mp3' },
      {
        url: `https://api.twilio.com/2010-04-01/Accounts/${ACCOUNT}/Recordings/${RECORDING}.mp3`,
        headers: { authorization: `Basic ${btoa(`${ACCOUNT}:${SECRET}`)}` },
        hosts: ['api.twilio.com'],
        redirectHosts: ['.twilio.com', '.twiliocdn.com'],
      },
    ],
  ],
  removed: [
    [
      'by its ids',
      { recordingId: RECORDING, mediaUrl: null },
      {
        url: `https://api.twilio.com/2010-04-01/Accounts/${ACCOUNT}/Recordings/${RECORDING}.json`,
        hosts: ['api.twilio.com'],
      },
    ],
  ],
  missing: [['the account', { recordingId: RECORDING, mediaUrl: null }, { accountId: null }, 'the Account SID']],
  fields: [
    ['Account SID', twilio.rules.accountId?.pattern, [ACCOUNT], ['', 'AC1', `${ACCOUNT}0`, CALL]],
    ['Auth token', twilio.rules.secret.pattern, [SECRET], ['', 'short', 'with a space']],
    ['API key SID', twilio.rules.api['keySid']?.pattern, [`SK${'a'.repeat(32)}`], [ACCOUNT, '']],
  ],
  retry: '#rc=3&rp=5xx,ct,rt',
  notes: /primary auth token/,
});
