import { generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import fc from 'fast-check';
import { TelnyxWebhook } from 'telnyx/lib/webhooks';
import { testProvider } from '../../../../test/harness/provider-contract.ts';
import {
  deliver,
  deliverForm,
  deliverJson,
  type Form,
  type Payload,
  readFixture,
  type Where,
  withHeaders,
} from '../../../../test/harness/vendors/deliver.ts';
import { markupReplies, screenedOccasions, screenedStories } from '../../../../test/harness/vendors/markup.ts';
import { type Delivery, FORM, JSON_TYPE } from '../../contract/delivery.ts';
import { telnyx } from './index.ts';

type Vector = { name: string; publicKey: string; rawBody: string; headers: Form; clock: number };

const forms = readFixture<Record<string, Form>>('telnyx', 'texml');
const events = readFixture<Record<string, { data: Payload; meta: object }>>('telnyx', 'events');
const form = (name: string, where: Where = {}, changes: Form = {}) =>
  deliverForm({ ...forms[name], ...changes }, where);
const event = (name: string, changes: Payload = {}) => {
  const { data, meta } = events[name] ?? { data: {}, meta: {} };
  return deliverJson({ data: { ...data, payload: { ...(data['payload'] as Payload), ...changes } }, meta });
};
const raw = (body: string) => deliver(FORM, body);

/** The machine's time, because the vendor's library compares with it. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
const NOON = Date.parse('2026-11-16T12:00:00Z');
const RECEIVED = NOON + 70_000;

const signers = new Map<string, KeyObject>();
const createSigner = (): string => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('base64');
  signers.set(key, privateKey);
  return key;
};
const [KEY, OTHER] = [createSigner(), createSigner()];

const sign = (delivery: Delivery, secret = KEY): Delivery => {
  const timestamp = String(NOW / 1_000);
  const key = signers.get(secret);
  if (!key) throw new Error('Nobody has that key.');
  const signature = signBytes(null, Buffer.concat([Buffer.from(`${timestamp}|`), delivery.body]), key);
  return withHeaders(delivery, {
    'telnyx-timestamp': timestamp,
    'telnyx-signature-ed25519': signature.toString('base64'),
  });
};

const CALL = forms['incoming']?.['CallSid'] ?? '';
const LEG = forms['childAnswered']?.['CallSid'] ?? '';
const SESSION = '428c31b6-abf3-3bc1-b7f4-5013ef9657c1';
const CONTROL_LEG = '428c31b6-7af4-4bcb-b7f5-5013ef9657c1';
const RECORDING = '35094891-3290-4142-b2c2-b2eda57534cf';
const ENDS = {
  from: { kind: 'number', value: '+15551230001' },
  to: { kind: 'number', value: '+15551239999' },
} as const;
const NO_ENDS = { direction: null, from: null, to: null };
const smuggled = { ...events['hangup'], name: '&CallSid=v3:abcdefgh&CallStatus=completed&x=' };
const hungUp = (hangup_cause: string) => event('hangup', { hangup_cause });
const at = (mediaUrl: string | null) => ({ recordingId: RECORDING, mediaUrl });

testProvider(telnyx, {
  now: NOW,
  receivedAt: RECEIVED,
  secret: KEY,
  otherSecret: OTHER,
  sign,
  isAcceptedByVendor: ({ body, headers }) =>
    new TelnyxWebhook(KEY).verify(body.toString('utf8'), headers as Form).then(
      () => true,
      () => false,
    ),
  proofs: ['telnyx-signature-ed25519', 'telnyx-timestamp'],
  covers: { address: false, content: true },
  deliveries: Object.fromEntries([
    ...Object.keys(forms).map((name) => [name, form(name)]),
    ...Object.keys(events).map((name) => [`event ${name}`, event(name)]),
  ]),
  withText: (text) => form('incoming', {}, { CallerName: text }),
  bodies: fc
    .record({
      data: fc.record({
        id: fc.jsonValue(),
        event_type: fc.constantFrom('call.hangup', 'call.recording.saved', 'x'),
        occurred_at: fc.jsonValue(),
        payload: fc.oneof(
          fc.jsonValue(),
          fc.dictionary(
            fc.constantFrom('call_session_id', 'from', 'recording_urls', 'channels', 'recording_started_at'),
            fc.jsonValue(),
          ),
        ),
      }),
    })
    .map((each) => JSON.stringify(each)),
  accepted: [['an address without a query', { ...form('incoming'), target: '/voice' }]],
  malformed: [
    [
      'a GET, because what it says is not covered',
      { ...raw(''), method: 'GET', target: '/voice?CallSid=v3:abcdefgh&CallStatus=ringing' },
    ],
    ...['CallStatus=completed', 'account=a1&x=1', 'step=status&step=dialed', 'bodySHA256=0'].map(
      (query) => [`the query ${query}`, { ...form('incoming'), target: `/voice?${query}` }] as const,
    ),
    ...[FORM, 'text/plain', ''].map(
      (type) => [`JSON under the type "${type}"`, deliver(type, JSON.stringify(smuggled))] as const,
    ),
    ['a form under the type of JSON', withHeaders(form('incoming'), { 'content-type': JSON_TYPE })],
    ['a repeated name', raw('CallSid=v3:abcdefgh&CallSid=v3:ijklmnop')],
    ...['v3:abcdefgh%20', 'v3:abcdefgh/../x', '/v3:abcdefgh', 'v3:abcd', 'a'.repeat(201)].map(
      (id) => [`the call ${id}`, raw(`CallSid=${id}`)] as const,
    ),
    ['no call', raw('CallStatus=ringing')],
    ['nothing', raw('')],
    ...[[], {}, { data: null }, { data: { event_type: 'call.hangup' } }].map(
      (content) => [`no event: ${JSON.stringify(content)}`, deliverJson(content)] as const,
    ),
  ],
  published: readFixture<Vector[]>('telnyx', 'signatures').map(({ name, publicKey, rawBody, headers, clock }) => {
    const delivery = withHeaders(deliver(JSON_TYPE, rawBody), headers);
    const later = String(Number(headers['telnyx-timestamp']) + 1);
    return {
      name,
      delivery,
      secret: publicKey,
      now: clock * 1_000,
      bent: [
        { ...delivery, body: Buffer.from(`${rawBody} `) },
        { ...delivery, body: Buffer.from(rawBody.replace('caller', 'callee')) },
        withHeaders(delivery, { 'telnyx-timestamp': later }),
      ],
    };
  }),
  recognized: [['its own header', withHeaders(raw(''), { 'telnyx-timestamp': '1' })]],
  strangers: [['a call of another form', deliverForm({ CallSid: `CA${'0'.repeat(32)}` })]],
  accounts: [
    ['a form', form('incoming'), 'f5586561-8ff0-4291-a51b-000000000001'],
    ['an event', event('hangup'), '7267000000000000001'],
  ],
  called: [
    ['a form', form('incoming'), '+15551239999'],
    ['an event', event('initiated'), '+15551239999'],
  ],
  calls: [
    ['between two ends', form('incoming'), { callKey: CALL, direction: 'inbound', ...ENDS }],
    ['of a leg', form('childAnswered', { step: 'status' }), { callKey: CALL, ...NO_ENDS }],
    ["none if a leg doesn't name the caller", form('screening', {}, { ParentCallSid: '' }), null],
    ["none if a pressed key doesn't name the caller", form('keyPressed', {}, { ParentCallSid: '' }), null],
    ['an event, between two ends', event('initiated'), { callKey: SESSION, direction: 'inbound', ...ENDS }],
    ['an event without a direction', event('answered'), { callKey: SESSION, ...NO_ENDS }],
    ['an event of something else', event('message'), null],
  ],
  events: [
    ['a leg was answered', form('childAnswered', { step: 'status' }), [{ kind: 'forwarded', legId: LEG }]],
    ["a leg that doesn't name the caller", form('screening', {}, { ParentCallSid: '' }), []],
    ["a key on a leg that doesn't name the caller", form('keyPressed', {}, { ParentCallSid: '' }), []],
    [
      'an unknown status is kept',
      form('answered', {}, { CallStatus: 'teleported' }),
      [{ kind: 'other', legId: null, raw: 'teleported' }],
    ],
    ...['-1', '999999999', 'long'].map(
      (CallDuration) =>
        [
          `it lasted ${CallDuration}`,
          form('completed', {}, { CallDuration }),
          [{ kind: 'ended', legId: null, reason: 'completed' }],
        ] as const,
    ),
    ['a call began', event('initiated'), [{ kind: 'initiated', legId: null }]],
    ...(
      [
        ['normal_clearing', 'completed'],
        ['time_limit', 'completed'],
        ['originator_cancel', 'canceled'],
        ['timeout', 'no_answer'],
        ['no_answer', 'no_answer'],
        ['user_busy', 'busy'],
        ['call_rejected', 'rejected'],
        ['not_found', 'failed'],
        ['unspecified', 'unknown'],
      ] as const
    ).map(
      ([cause, reason]) => [`it ended: ${cause}`, hungUp(cause), [{ kind: 'ended', legId: null, reason }]] as const,
    ),
    ...['constructor', 'something_new'].map(
      (cause) =>
        [`it ended: ${cause}`, hungUp(cause), [{ kind: 'ended', legId: null, reason: 'unknown', raw: cause }]] as const,
    ),
    ['an unknown event', event('dtmf'), [{ kind: 'other', legId: CONTROL_LEG, raw: 'call.dtmf.received' }]],
    ['an event of something else', event('message'), []],
  ],
  times: [
    ...(
      [
        ['2021-04-28 21:51:18.731479Z', '2021-04-28T21:51:18.731Z'],
        ['2026-11-16 12:00:00', '2026-11-16T12:00:00.000Z'],
        ['2026-11-16T12:00:00.5', '2026-11-16T12:00:00.500Z'],
        ['Mon, 16 Nov 2026 12:00:00 +0000', '2026-11-16T12:00:00.000Z'],
        ['Mon, 16 Nov 2026 12:00:00', '2026-11-16T12:00:00.000Z'],
      ] as const
    ).map(
      ([written, iso]) => [written, form('answered', {}, { Timestamp: written }), Date.parse(iso), 'provider'] as const,
    ),
    ['yesterday', form('answered', {}, { Timestamp: 'yesterday' }), RECEIVED, 'received'],
    ['an event', event('initiated'), NOON + 521, 'provider'],
  ],
  recordings: [
    [
      'available for ten minutes',
      form('recordingDone'),
      {
        recordingId: RECORDING,
        status: 'available',
        callKey: CALL,
        startedAt: null,
        durationMs: 42_000,
        channels: 2,
        source: 'DialVerb',
        errorCode: null,
        mediaUrl: forms['recordingDone']?.['RecordingUrl'] ?? '',
        mediaExpiresAt: NOON + 60_000 + 600_000,
      },
    ],
    [
      'it does not say for how long',
      form('recordingDone', {}, { RecordingUrl: 'https://api.telnyx.com/x.mp3' }),
      { mediaExpiresAt: RECEIVED + 600_000 },
    ],
    ['in progress', form('recordingBegun'), { status: 'in_progress', mediaExpiresAt: null }],
    ['an unknown status', form('recordingDone', {}, { RecordingStatus: 'odd' }), null],
    [
      'an event: available for ten minutes',
      event('recordingSaved'),
      {
        recordingId: '10cd86ac-fef8-4765-b203-0f7511f9fc75',
        status: 'available',
        channels: 2,
        durationMs: 45_500,
        startedAt: NOON + 10_000,
        mediaExpiresAt: NOON + 60_000 + 600_000,
      },
    ],
    [
      'an event: it names no recording, and ended before it began',
      event('recordingSaved', {
        recording_id: undefined,
        recording_urls: { mp3: 'https://a.telnyx.com/b' },
        recording_ended_at: '2020-01-01T00:00:00Z',
      }),
      {
        recordingId: `event ${events['recordingSaved']?.data['id']}`,
        durationMs: null,
        mediaUrl: 'https://a.telnyx.com/b',
        mediaExpiresAt: NOON + 62_521 + 600_000,
      },
    ],
    [
      'an event: it failed',
      event('recordingError'),
      { status: 'failed', errorCode: 'Internal server error', mediaUrl: null },
    ],
  ],
  transcripts: [
    ['TeXML', form('transcribed'), { status: 'ready', callKey: CALL, text: 'Good morning, how may I help you?' }],
    ['Call Control', event('transcribed'), { status: 'ready', callKey: SESSION, text: 'Hi!' }],
    ['failed', event('transcribed', { status: 'failed' }), { status: 'failed', text: null }],
    ['nothing', form('recordingDone'), null],
  ],
  stories: [
    ...screenedStories(form),
    [
      'a machine picked up, and the last notice repeats it',
      [
        form('incoming'),
        form('initiated', { step: 'status' }),
        form('screening', { step: 'screen' }),
        form('dialAnswered', { step: 'screened' }, { DialCallDuration: '12' }),
        form('completedWithDial', { step: 'status' }),
      ],
      'missed',
    ],
    [
      'the recording of a message was reported',
      [form('incoming'), form('dialNotAnswered', { step: 'dialed' }), form('messageDone'), form('completed')],
      'voicemail',
    ],
    [
      'the message was empty',
      [
        form('incoming'),
        form('dialNotAnswered', { step: 'dialed' }),
        form('messageLeft', { step: 'voicemail' }, { RecordingDuration: '0' }),
        form('completed', { step: 'status' }),
      ],
      'missed',
    ],
  ],
  occasions: [...screenedOccasions(form), ['a notice of the beginning', form('initiated'), { kind: 'nothing' }]],
  ...markupReplies('screened'),
  acknowledged: 200,
  account: { accountId: null, secrets: [{ id: 's1', value: KEY }], api: { key: 'KEY0123456789' } },
  fetched: (
    [
      [forms['recordingDone']?.['RecordingUrl'] ?? '', 's3.amazonaws.com'],
      [
        'https://s3.eu-central-1.amazonaws.com/telephony-recorder-prod-fr5/a/b.wav?X-Amz-Signature=1',
        's3.eu-central-1.amazonaws.com',
      ],
      [
        'https://telephony-recorder-prod.s3.us-east-1.amazonaws.com/a/b.wav',
        'telephony-recorder-prod.s3.us-east-1.amazonaws.com',
      ],
      ['https://api.telnyx.com/v2/media/b.mp3', 'api.telnyx.com'],
    ] as const
  ).map(([url, host]) => [host, at(url), { url, headers: {}, hosts: [host], redirectHosts: [] }] as const),
  removed: [
    [
      'by its id with the API key',
      at(null),
      {
        url: `https://api.telnyx.com/v2/recordings/${RECORDING}`,
        headers: { authorization: 'Bearer KEY0123456789' },
        hosts: ['api.telnyx.com'],
        redirectHosts: [],
      },
    ],
    ...['event 0ccc7b54', `../${RECORDING}`, ''].map(
      (recordingId) => [`not at all: "${recordingId}"`, { recordingId, mediaUrl: null }, null] as const,
    ),
  ],
  missing: [
    null,
    '',
    'not an address',
    'http://s3.amazonaws.com/telephony-recorder-prod/a.wav',
    'https://s3.amazonaws.com/another-bucket/telephony-recorder-prod/a.wav',
    'https://s3.amazonaws.com/another/../telephony-recorder-prodigy.wav',
    'https://s3.amazonaws.com:8443/telephony-recorder-prod/a.wav',
    'https://user:pass@s3.amazonaws.com/telephony-recorder-prod/a.wav',
    'https://s3.amazonaws.com.evil.example/telephony-recorder-prod/a.wav',
    'https://telephony-recorder-prod.evil.s3.amazonaws.com/a.wav',
    'https://telephony-recorder-prod.s3.amazonaws.com.evil.example/a.wav',
    'https://evil-telephony-recorder-prod.s3.amazonaws.com/a.wav',
    'https://evil-s3.amazonaws.com/telephony-recorder-prod/a.wav',
    'https://s3.amazonaws.com/telephony-recorder-prod-evil/a.wav',
    'https://s3.amazonaws.com/telephony-recorder-prodigy/a.wav',
    'https://s3.amazonaws.com/telephony-recorder-prod-fr55/a.wav',
    'https://telephony-recorder-prod-evil.s3.amazonaws.com/a.wav',
    'https://telephony-recorder-prod.s3.s3.amazonaws.com/a.wav',
    'https://telephony-recorder-prod-fr5-evil.s3.eu-central-1.amazonaws.com/a.wav',
    'https://eviltelnyx.com/a.wav',
    'https://169.254.169.254/latest',
    's3://bucket/a',
  ].map((url) => [`from ${url}`, at(url), {}] as const),
  fields: [
    [
      'Account SID or application ID',
      telnyx.rules.accountId?.pattern,
      ['f5586561-8ff0-4291-a51b-c7dfe4139ff9', '7267000000000000001'],
      ['', '12', 'f5586561-8ff0-4291-a51b-c7dfe4139ff90'],
    ],
    ['Public key', telnyx.rules.secret.pattern, ['6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw='], ['KEY0123456789']],
    ['API key', telnyx.rules.api['key']?.pattern, ['KEY0123456789_abc'], ['0123456789']],
  ],
  retry: '',
  notes: /including \?account=.*public key/,
});
