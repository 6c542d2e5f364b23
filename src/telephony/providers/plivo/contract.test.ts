import sdk from 'plivo';
import { testProvider } from '../../../../test/harness/provider-contract.ts';
import {
  byGet,
  deliverForm,
  type Form,
  PUBLIC_URL,
  readFixture,
  withHeaders,
} from '../../../../test/harness/vendors/deliver.ts';
import { DELIVERIES, deliver } from '../../../../test/harness/vendors/plivo.ts';
import { type Delivery, JSON_TYPE } from '../../contract/delivery.ts';
import { plivo } from './index.ts';
import { sign, signedText } from './verify.ts';

type Vector = { name: string; authToken: string; url: string; params?: Form; headers: Form };

const TOKEN = 'an-auth-token';
const NONCE = '05429567804466091622';
const NOON = Date.parse('2026-11-16T12:00:00Z');
const RECEIVED = NOON + 120_000;
const AUTH_ID = 'MAXXXXXXXXXXXXXXXXXX';
const CALL = '3f0c1a52-7d4e-11ef-9c1b-0242ac110004';
const LEG = '41aa9be0-7d4e-11ef-9c1b-0242ac110004';
const RECORDING = '5b7f2c10-7d4e-11ef-9c1b-0242ac110004';
const NO_ENDS = { callKey: CALL, direction: null, from: null, to: null };
const VOICE_URL = `${PUBLIC_URL}/voice?account=a1`;
const RECORDING_URL = `${PUBLIC_URL}/recording?account=a1`;
const RETRY = '#rc=3&amp;rp=ct,rt,5xx';

const withTarget = (delivery: Delivery, target: string): Delivery => ({ ...delivery, target });
const atStep = (name: string, step: string) =>
  withTarget(deliver(name), `/api/webhooks/telephony/voice?account=a1&step=${step}`);
const answer = deliver('answer');
const stories = (...names: string[]) => names.map((name) => deliver(name));
const empty = { ...answer, body: Buffer.alloc(0) };
const xml = (inner: string): string => `<?xml version="1.0" encoding="UTF-8"?><Response>${inner}</Response>`;
const record =
  `<Record action="${VOICE_URL}&amp;step=voicemail${RETRY}" callbackUrl="${RECORDING_URL}&amp;step=voicemail${RETRY}"` +
  ' fileFormat="mp3" maxLength="180" playBeep="true"/>';
const forwardTo = ['+15551230001', '+15551230002'];
const authorization = `Basic ${btoa(`${AUTH_ID}:token`)}`;
const at = (mediaUrl: string | null, recordingId = RECORDING) => ({ recordingId, mediaUrl });
const stored = `https://media.plivo.com/v1/Account/${AUTH_ID}/Recording/${RECORDING}.mp3`;
const regional = `https://aps1.media.plivo.com/v1/Account/SAXXXXXXXXXXXXXXXXXX/Recording/${RECORDING}.wav`;

const [v3, v2] = readFixture<[Vector, Vector]>('plivo', 'signatures');
const recorded = ({ url, params = {}, headers }: Vector): Delivery =>
  withTarget(withHeaders(deliverForm(params), headers), url.slice(PUBLIC_URL.length));
const genuine = recorded(v3);

testProvider(plivo, {
  now: RECEIVED,
  secret: TOKEN,
  otherSecret: 'another-auth-token',
  sign: (delivery, secret = TOKEN) =>
    withHeaders(delivery, {
      'x-plivo-signature-v3': sign(secret, signedText(delivery, { publicUrl: PUBLIC_URL }), NONCE),
      'x-plivo-signature-v3-nonce': NONCE,
    }),
  isAcceptedByVendor: ({ method, target, headers, body }) =>
    Boolean(
      sdk.validateV3Signature(
        method,
        `${PUBLIC_URL}${target}`,
        String(headers['x-plivo-signature-v3-nonce']),
        TOKEN,
        String(headers['x-plivo-signature-v3']),
        method === 'POST' ? Object.fromEntries(new URLSearchParams(body.toString())) : {},
      ),
    ),
  proofs: ['x-plivo-signature-v3', 'x-plivo-signature-v3-nonce'],
  covers: { address: true, content: true },
  deliveries: Object.fromEntries(Object.keys(DELIVERIES).map((name) => [name, deliver(name)])),
  withText: (text) => deliver('answer', { CallerName: text, 'X-PH-Note': text }),
  accepted: [
    ...Object.keys(DELIVERIES).map((name) => [`${name} by GET`, byGet(deliver(name))] as const),
    ['an address without a query', withTarget(answer, '/api/webhooks/telephony/voice')],
    ...['AT&T', 'Direction Ltd', 'The Event Company', 'To = From?', 'CALLSTATUS'].map(
      (CallerName) => [`a caller named ${CallerName}`, deliver('answer', { CallerName })] as const,
    ),
  ],
  malformed: [
    ...['xDialStatuscompleted', 'CallStatusbusy', 'a RecordingID b', 'Directionoutbound'].map(
      (CallerName) => [`a caller named ${CallerName}`, deliver('answer', { CallerName })] as const,
    ),
    ['an & in the query of a GET', byGet(deliver('answer', { CallerName: 'AT&T' }))],
    ['a repeated name', { ...answer, body: Buffer.from(`${answer.body}&CallStatus=completed`) }],
    ['a repeated step', withTarget(answer, `${answer.target}&step=a&step=b`)],
    ['a foreign query parameter', withTarget(answer, `${answer.target}&CallStatus=completed`)],
    ['a step we never write', withTarget(answer, `${answer.target}&step=a.b`)],
    ['nothing', empty],
    ['JSON, which is not covered', { ...withHeaders(empty, { 'content-type': JSON_TYPE }), body: Buffer.from('{}') }],
    ['no call', deliver('answer', { CallUUID: null })],
    ['a call of another form', deliver('answer', { CallUUID: '1' })],
    ['a status of another form', deliver('answer', { CallStatus: 'Completed!' })],
  ],
  published: [
    {
      name: v3.name,
      delivery: genuine,
      secret: v3.authToken,
      // The address has a query that we never give out.
      verdict: 'malformed',
      bent: [
        { ...genuine, body: Buffer.from(`${genuine.body} `) },
        { ...genuine, body: Buffer.from(String(genuine.body).replace('completed', 'busy')) },
        { ...genuine, body: Buffer.alloc(0) },
        withTarget(genuine, `${genuine.target}&x=1`),
        withTarget(genuine, genuine.target.replace('team=t1', 'team=t2')),
        withTarget(genuine, genuine.target.replace('/voice', '/voice/')),
        { ...genuine, method: 'GET' },
        withHeaders(genuine, { 'x-plivo-signature-v3-nonce': '12345678901234567891' }),
        withHeaders(genuine, { 'content-type': JSON_TYPE }),
      ],
    },
  ],
  recognized: [['a signature of the second version', recorded(v2)]],
  strangers: [["another provider's parameters", deliverForm({ CallSid: `CA${'0'.repeat(32)}`, AccountSid: 'AC1' })]],
  accounts: [
    ['a call', answer, AUTH_ID],
    ['a recording', deliver('recordingStored'), null],
  ],
  called: [['a call', answer, '+15551239999']],
  calls: [
    [
      'who, with the plus that Plivo leaves out',
      answer,
      {
        callKey: CALL,
        direction: 'inbound',
        from: { kind: 'number', value: '+15551230001' },
        to: { kind: 'number', value: '+15551239999' },
      },
    ],
    ['of a leg', deliver('legConnected', { CallUUID: LEG, DialALegUUID: CALL }), NO_ENDS],
    ['of a leg that says nothing else', deliver('legHungUp', { Direction: null, From: null, To: null }), NO_ENDS],
    ['none, where the dialed person is asked for a key', atStep('answer', 'screen'), null],
    ['none, where a recording is stored', deliver('recordingStored'), null],
  ],
  events: [
    ['it rings', answer, [{ kind: 'ringing', legId: null }]],
    ['a leg was answered', deliver('legAnswered'), [{ kind: 'forwarded', legId: LEG }]],
    ['a leg was connected', deliver('legConnected'), [{ kind: 'bridged', legId: LEG }]],
    [
      'a leg ended',
      deliver('legHungUp'),
      [{ kind: 'forward_ended', legId: LEG, reason: 'completed', talkSeconds: 62 }],
    ],
    [
      'forwarding ended',
      deliver('dialCompleted'),
      [{ kind: 'forward_ended', legId: LEG, reason: 'completed', reachedHuman: true }],
    ],
    [
      'nobody answered',
      deliver('dialUnanswered'),
      [{ kind: 'forward_ended', legId: null, reason: 'no_answer', reachedHuman: false }],
    ],
    [
      'an unknown status',
      deliver('dialUnanswered', { DialStatus: 'constructor', DialHangupCause: null }),
      [{ kind: 'forward_ended', legId: null, reason: 'unknown', reachedHuman: false, raw: 'constructor' }],
    ],
    ['a message was left', deliver('message'), [{ kind: 'voicemail', legId: null }]],
    ['a message was stored', deliver('messageStored'), [{ kind: 'voicemail', legId: null }]],
    ['silence', deliver('message', { RecordingDuration: '0', RecordingDurationMs: '0' }), []],
    ['it ended', deliver('hangup'), [{ kind: 'ended', legId: null, reason: 'completed', talkSeconds: 89 }]],
    [
      'an unknown end',
      deliver('hangup', { CallStatus: 'evaporated', HangupCause: 'MOON', HangupCauseCode: null }),
      [{ kind: 'ended', legId: null, reason: 'unknown', talkSeconds: 89, raw: 'MOON' }],
    ],
    ['our own call rings', deliver('outboundRinging'), [{ kind: 'ringing', legId: null }]],
    ['our own call was answered', deliver('outboundTaken'), [{ kind: 'answered', legId: null }]],
    [
      'an unknown status is kept',
      deliver('answer', { CallStatus: 'parked' }),
      [{ kind: 'other', legId: null, raw: 'StartApp parked' }],
    ],
    ['a machine was heard', deliver('machine'), [{ kind: 'other', legId: null, raw: 'MachineDetection in-progress' }]],
    ['a key', deliver('legDigits'), [{ kind: 'other', legId: LEG, raw: 'digits' }]],
    [
      'an unknown action of a leg',
      deliver('legDigits', { DialAction: 'waltz' }),
      [{ kind: 'other', legId: LEG, raw: 'waltz' }],
    ],
    ['where the dialed person is asked for a key', atStep('answer', 'screen'), []],
    ['a recording has begun', deliver('recordingBegun'), []],
    ['a recording was stored', deliver('recordingStored'), []],
    [
      'a recording repeats how the call ended',
      deliver('recordingBegun', { CallStatus: 'completed', HangupCause: 'USER_BUSY' }),
      [],
    ],
  ],
  times: [
    ['in UTC for the beginning', answer, NOON + 130, 'provider'],
    ['in the zone of the account for the end', deliver('hangup'), NOON + 90_000, 'provider'],
    ['in the zone of India', deliver('hangupInIndia'), NOON + 90_000, 'provider'],
    ['where nothing tells the zone', deliver('hangup', { SessionStart: null }), NOON + 90_000, 'provider'],
    [
      'with a zone of its own',
      deliver('hangup', { EndTime: '2026-11-16T13:01:30+01:00', StartTime: null }),
      NOON + 90_000,
      'provider',
    ],
    ['ahead of us', deliver('hangup', { SessionStart: null, EndTime: '2026-11-16 17:31:30' }), RECEIVED, 'received'],
    ...['2026-13-45 99:99:99', 'yesterday', null].map(
      (EndTime) => [`${EndTime}`, deliver('hangup', { EndTime }), RECEIVED, 'received'] as const,
    ),
  ],
  recordings: [
    ['in progress', deliver('recordingBegun'), { status: 'in_progress', durationMs: null, callKey: CALL }],
    ['it is being stored', deliver('message'), { status: 'in_progress' }],
    [
      'available',
      deliver('messageStored'),
      {
        recordingId: RECORDING,
        status: 'available',
        callKey: CALL,
        startedAt: 1_794_830_430_000,
        durationMs: 17_200,
        channels: null,
        source: null,
        errorCode: null,
        mediaUrl: stored,
        mediaExpiresAt: null,
      },
    ],
    ['its address is under the other name', deliver('messageStored', { RecordUrl: null }), { status: 'available' }],
    [
      'it has no address yet',
      deliver('messageStored', { RecordUrl: null, RecordFile: null }),
      { status: 'in_progress' },
    ],
    ['it names no call', deliver('recordingStored'), { callKey: null }],
    ...(
      [
        [{ RecordingDurationMs: '17200.5' }, 17_201],
        [{ RecordingDurationMs: '17200.4' }, 17_200],
        [{ RecordingDurationMs: null, RecordingDuration: '17.6' }, 18_000],
        [{ RecordingDurationMs: null, RecordingDuration: 'x' }, null],
      ] as const
    ).map(
      ([changes, durationMs]) =>
        [`its length: ${JSON.stringify(changes)}`, deliver('recordingStored', changes), { durationMs }] as const,
    ),
    [
      'an absurd length and beginning',
      deliver('recordingStored', {
        RecordingDurationMs: '99999999999999',
        RecordingDuration: '12',
        RecordingStartMs: '7',
      }),
      { durationMs: 12_000, startedAt: null },
    ],
  ],
  transcripts: [
    ['ready', deliver('transcribed'), { status: 'ready', callKey: CALL, text: 'Please call me back from 3 to 5.' }],
    [
      'failed',
      deliver('transcribed', { transcription: '', error: 'Recording duration too long for transcription' }),
      { status: 'failed', text: null },
    ],
    ['nothing', deliver('messageStored'), null],
  ],
  stories: [
    [
      'it was connected',
      stories('answer', 'legAnswered', 'legConnected', 'legHungUp', 'dialCompleted', 'hangup'),
      'answered',
      62,
    ],
    ['only the end was reported', stories('answer', 'dialCompleted', 'hangup'), 'answered', 0],
    ['by the faster of two', stories('answer', 'legConnected', 'legTooSlow', 'legHungUp', 'hangup'), 'answered', 62],
    ['nobody answered', stories('answer', 'legUnanswered', 'dialUnanswered', 'hangup'), 'missed', null],
    [
      'a mailbox picked up',
      stories('answer', 'legAnswered', 'legWithoutKey', 'dialUnanswered', 'hangup'),
      'missed',
      null,
    ],
    ['the line was busy', stories('answer', 'dialBusy', 'hangup'), 'missed', null],
    [
      'a message was left',
      stories('answer', 'legUnanswered', 'dialUnanswered', 'message', 'hangup'),
      'voicemail',
      null,
    ],
    [
      'a message, reported when it was stored',
      stories('answer', 'dialUnanswered', 'hangup', 'messageStored'),
      'voicemail',
      null,
    ],
    ['the caller hung up', stories('answer', 'legCanceled', 'dialCanceled', 'hangup'), 'abandoned', null],
    [
      'only Plivo answered',
      [
        deliver('answer', { CallStatus: 'in-progress' }),
        deliver('hangup', { CallStatus: 'in-progress', Event: 'StartApp' }),
        deliver('hangup'),
      ],
      'missed',
      null,
    ],
    ['our own call', stories('outboundRinging', 'outboundTaken', 'outboundHangup'), 'answered', 66],
    ['our own call', stories('outboundRinging', 'outboundBusy'), 'busy', null],
  ],
  occasions: [
    ['a call comes in', answer, { kind: 'answer' }],
    ['a call comes in and is already taken', deliver('answer', { CallStatus: 'in-progress' }), { kind: 'answer' }],
    ['nobody answered the forwarded call', deliver('dialUnanswered'), { kind: 'after_dial', reached: false }],
    ['someone answered', deliver('dialCompleted'), { kind: 'after_dial', reached: true }],
    [
      'it ended before it was connected',
      deliver('dialCompleted', { DialBLegUUID: '' }),
      { kind: 'after_dial', reached: false },
    ],
    ['a message was left', deliver('message'), { kind: 'after_voicemail' }],
    ['the dialed person picked up and must press a key', atStep('answer', 'screen'), { kind: 'screen' }],
    ['a leg was connected, as a notice', deliver('legConnected'), { kind: 'nothing' }],
    ['the call has ended', deliver('hangup'), { kind: 'nothing' }],
    ['the call has ended, at the voice URL', withTarget(deliver('hangup'), answer.target), { kind: 'nothing' }],
    ['it rings, as a notice', withTarget(deliver('outboundRinging'), answer.target), { kind: 'nothing' }],
    ['a start at the status URL', atStep('answer', 'status'), { kind: 'nothing' }],
    ['a step we never hand out', atStep('answer', 'screened'), { kind: 'nothing' }],
    ['an unknown status', deliver('answer', { CallStatus: 'parked' }), { kind: 'nothing' }],
    ['a recording is available', deliver('recordingStored'), { kind: 'nothing' }],
    ['a message is stored', deliver('messageStored'), { kind: 'nothing' }],
  ],
  documents: [
    [
      'greets, announces the recording, and forwards to several at once',
      { greeting: 'Hello', forwardTo, ringSeconds: 15, record: true },
      { kind: 'answer' },
      xml(
        '<Speak>Hello</Speak><Speak>This call may be recorded.</Speak>' +
          `<Record startOnDialAnswer="true" action="${RECORDING_URL}${RETRY}" callbackUrl="${RECORDING_URL}${RETRY}"` +
          ' redirect="false" fileFormat="mp3" maxLength="14400"/>' +
          `<Dial action="${VOICE_URL}&amp;step=dialed${RETRY}" timeout="15" callbackUrl="${VOICE_URL}&amp;step=status${RETRY}">` +
          '<Number>+15551230001</Number><Number>+15551230002</Number></Dial>',
      ),
    ],
    [
      'lets Plivo wait for the key',
      { forwardTo, screen: true },
      { kind: 'answer' },
      /<Dial [^>]*confirmSound="[^"]*step=screen#[^"]*" confirmKey="1" confirmTimeout="20"><Number>/,
    ],
    ['asks for the key', {}, { kind: 'screen' }, xml('<Speak>You have a call. Press 1 to accept.</Speak>')],
    ['connects whoever pressed a key', {}, { kind: 'screened', pressed: true }, /<Response\/>$/],
    ['hangs up if no key was pressed', {}, { kind: 'screened', pressed: false }, xml('<Hangup/>')],
    ['asks for no key and records nothing', { forwardTo }, { kind: 'answer' }, /^(?!.*(?:confirm|<Record)).*<Dial/],
    [
      'takes a message, whose file is announced as a message',
      { voicemailPrompt: 'Speak' },
      { kind: 'answer' },
      xml(`<Speak>Speak</Speak>${record}`),
    ],
    [
      'takes a message where nobody answers',
      { forwardTo, voicemailPrompt: 'Speak' },
      { kind: 'after_dial', reached: false },
      xml(`<Speak>Speak</Speak>${record}`),
    ],
    ['ends politely if voicemail is off', { voicemail: false }, { kind: 'answer' }, /<Speak>[^<]+<\/Speak><Hangup\/>/],
    ['ends after a talk', {}, { kind: 'after_dial', reached: true }, xml('<Hangup/>')],
    ['thanks for a message', {}, { kind: 'after_voicemail' }, /<Speak>[^<]+<\/Speak><Hangup\/>/],
    [
      'says that a number is not in service',
      null,
      { kind: 'answer' },
      /<Speak>[^<]*not in service[^<]*<\/Speak><Hangup\/>/,
    ],
    [
      'says a text and never carries it out',
      { greeting: '</Speak><Dial><Number>+1900</Number></Dial><Speak>&x;' },
      { kind: 'answer' },
      /<Speak>&lt;\/Speak&gt;&lt;Dial&gt;[^<]*&amp;x;<\/Speak><Speak>/,
    ],
  ],
  contentType: 'text/xml; charset=utf-8',
  spoken: (body) => [...body.matchAll(/<Speak>([\s\S]*?)<\/Speak>/g)].map(([, text = '']) => text),
  acknowledged: 200,
  account: { accountId: AUTH_ID, secrets: [{ id: 's1', value: 'token' }], api: {} },
  fetched: [
    [
      'by its ids, with the Auth ID and token',
      at(null),
      {
        url: stored,
        headers: { authorization },
        hosts: ['media.plivo.com'],
        redirectHosts: ['.plivo.com', '.amazonaws.com'],
      },
    ],
    ['in the region and format of the payload', at(regional), { url: regional, hosts: ['aps1.media.plivo.com'] }],
    ...[
      `http://media.plivo.com/v1/Account/${AUTH_ID}/Recording/x.mp3`,
      `https://media.plivo.com@evil.test/v1/Account/${AUTH_ID}/Recording/x.mp3`,
      `https://evil.test/media.plivo.com/v1/Account/${AUTH_ID}/Recording/x.mp3`,
      `https://evilmedia.plivo.com.test/v1/Account/${AUTH_ID}/Recording/x.mp3`,
      `https://evil.test#.media.plivo.com/v1/Account/${AUTH_ID}/Recording/x.mp3`,
      `https://media.plivo.com/v1/Account/../../x/Recording/x.mp3`,
      `https://aps1.media.plivo.com/v1/Account/${AUTH_ID}/Recording/x.wav?y`,
      `https://aps1.media.plivo.com/v1/Account/${AUTH_ID}/Recording/x.wav/../../Call`,
      'http://s3.amazonaws.com/recordings_2013/x.mp3',
      'file:///etc/passwd',
      'not an address',
    ].map(
      (url) =>
        [
          `never from ${url}`,
          at(url),
          { url: stored, headers: { authorization }, hosts: ['media.plivo.com'] },
        ] as const,
    ),
    [
      'with an id that leads nowhere else',
      at(null, '../../Call/x?y'),
      { url: stored.replace(RECORDING, '..%2F..%2FCall%2Fx%3Fy') },
    ],
  ],
  removed: [
    [
      'at the API, which leads nowhere else',
      at('https://evil.test/x'),
      {
        url: `https://api.plivo.com/v1/Account/${AUTH_ID}/Recording/${RECORDING}/`,
        headers: { authorization },
        hosts: ['api.plivo.com'],
        redirectHosts: [],
      },
    ],
  ],
  missing: [
    ['the Auth ID', at(null), { accountId: null }, 'the Auth ID of the account'],
    ['a token', at(null), { secrets: [] }, 'the Auth Token of the account'],
  ],
  fields: [
    [
      'Auth ID',
      plivo.rules.accountId?.pattern,
      [AUTH_ID, 'SAXXXXXXXXXXXXXXXXXX'],
      ['', 'MA1', `${AUTH_ID}X`, AUTH_ID.toLowerCase(), `AC${'0'.repeat(18)}`],
    ],
    ['Auth Token', plivo.rules.secret.pattern, ['ODgxYmM1NzE5YjNmNDE4YjkyYjE0ZDc0Y2Y2MDUx'], ['', 'short']],
  ],
  retry: '#rc=3&rp=ct,rt,5xx',
  notes: /Hangup URL.*Auth Token/,
});
