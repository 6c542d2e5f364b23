import { generateKeyPairSync } from 'node:crypto';
import { verifySignature } from '@vonage/jwt';
import { testProvider } from '../../../../test/harness/provider-contract.ts';
import {
  deliverJson,
  type Form,
  type Payload,
  PUBLIC_URL,
  readFixture,
  targetOf,
  type Where,
} from '../../../../test/harness/vendors/deliver.ts';
import {
  claimsOf,
  get,
  NOW,
  payload,
  payloads,
  post,
  SECRET,
  sha256,
  sign,
  withToken,
} from '../../../../test/harness/vendors/vonage.ts';
import type { Delivery } from '../../contract/delivery.ts';
import { vonage } from './index.ts';

type Vector = { name: string; signatureSecret: string; rawBody: string; claims: { iat: number }; headers: Form };

const CALL = 'CON-5f0c2d1e-7a3b-4c55-9d10-aa0155512301';
const LEG = '0f9e8d7c-6b5a-4039-8271-605f4e3d2c1b';
const CALL_OF_LEG = { callKey: CALL, direction: null, from: null, to: null };
const BETWEEN_TWO = {
  callKey: CALL,
  direction: 'inbound',
  from: { kind: 'number', value: '+15551230001' },
  to: { kind: 'number', value: '+15551239999' },
} as const;
const STATUS = { step: 'status' };
const DIALED = { step: 'dialed' };
const SCREEN = { step: 'screen' };
const SCREENED = { step: 'screened' };
const MESSAGE = { route: 'recording', step: 'voicemail' } as const;

const say = (name: string, where: Where = {}, changes: Payload = {}) =>
  deliverJson({ ...payload(name), ...changes }, where);
const raw = (body: string | Buffer): Delivery => ({ ...deliverJson({}), body: Buffer.from(body) });
const { from: _, ...withoutCaller } = payload('answer');
const story = (where: Where, ...names: string[]) => names.map((name) => say(name, where));
const begun = [
  say('answer'),
  ...story(STATUS, 'callerStarted', 'callerRinging', 'callerAnswered'),
  ...story(DIALED, 'legStarted', 'legRinging'),
];
const over = say('callerCompleted', STATUS);
const VOICE_URL = `${PUBLIC_URL}/voice?account=a1`;
const RECORDING_URL = `${PUBLIC_URL}/recording?account=a1`;
const forwardTo = ['+15551230002', '+15551230003'];
const notice = [{ action: 'talk', text: 'The number you have dialed is not in service. Goodbye.' }];
const message = [
  {
    action: 'record',
    format: 'mp3',
    beepStart: true,
    endOnKey: '#',
    endOnSilence: 10,
    timeOut: 180,
    eventUrl: [`${RECORDING_URL}&step=voicemail`],
    eventMethod: 'POST',
  },
  {
    action: 'notify',
    payload: { step: 'voicemail' },
    eventUrl: [`${VOICE_URL}&step=voicemail`],
    eventMethod: 'POST',
  },
];
const connect = {
  action: 'connect',
  randomFromNumber: true,
  timeout: 15,
  eventType: 'synchronous',
  eventMethod: 'POST',
};

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const applicationId = 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab';
const file = '/v1/files/6c8d7e90-1a2b-4c3d-8e4f-5a6b7c8d9e0f';
const at = (mediaUrl: string | null) => ({ recordingId: 'd4c3b2a1-0f1e-4d2c-8b3a-49586776a5b4', mediaUrl });

testProvider(vonage, {
  now: NOW,
  secret: SECRET,
  otherSecret: 'another-signature-secret-0123456789',
  // Every token has its own id, made from the body.
  sign: (delivery, secret = SECRET) =>
    withToken(delivery, sign(claimsOf(delivery.body, { jti: sha256(delivery.body) }), { secret })),
  isAcceptedByVendor: ({ headers }) => verifySignature(String(headers.authorization).replace('Bearer ', ''), SECRET),
  proofs: ['authorization'],
  covers: { address: false, content: true },
  deliveries: Object.fromEntries(Object.keys(payloads).map((name) => [name, say(name)])),
  withText: (text) => say('answer', {}, { 'SipHeader_X-Name': text, more: [{ text }] }),
  accepted: [
    ['a name in two objects', raw('{"uuid":"a","x":[{"uuid":"b"},{"uuid":"c"}],"y":"\\"uuid\\":"}')],
    ['a number of ours', { ...over, target: `${targetOf(STATUS)}&number=n1` }],
  ],
  malformed: [
    ['a repeated name', raw('{"uuid":"a","status":"busy","uuid":"b"}')],
    ['a repeated name in disguise', raw('{"uuid":"a","uu\\u0069d":"b"}')],
    ['a repeated name deep inside', raw('{"uuid":"a","dtmf":{"digits":"1","digits":""}}')],
    ['a list', raw('[{"uuid":"a"}]')],
    ['no JSON', raw('uuid=a&status=completed')],
    ['a byte order mark', raw('\ufeff{"uuid":"a"}')],
    ['nothing', raw('')],
    ['nothing about a call', raw('{"message_uuid":"a"}')],
    ['bytes that are no text', raw(Buffer.concat([Buffer.from('{"uuid":"a'), Buffer.from([0xff]), Buffer.from('"}')]))],
    ['a foreign query parameter', { ...over, target: `${targetOf(STATUS)}&uuid=b` }],
    ['a repeated step', { ...over, target: `${targetOf(STATUS)}&step=dialed` }],
  ],
  published: readFixture<Vector[]>('vonage', 'signatures').map(
    ({ name, signatureSecret, rawBody, claims, headers }) => {
      const delivery = { ...raw(rawBody), headers };
      return {
        name,
        delivery,
        secret: signatureSecret,
        now: claims.iat * 1_000,
        bent: [
          { ...delivery, body: Buffer.from(`${rawBody} `) },
          { ...delivery, body: Buffer.from(rawBody.replace('42', '43')) },
          { ...delivery, method: 'GET' as const, body: Buffer.alloc(0) },
        ],
      };
    },
  ),
  recognized: [
    ['a GET', get(payload('answer'))],
    ['a GET without a token', { ...get({ uuid: 'a', to: '1', from: '2' }), headers: {} }],
    ['what we gave to a notify, with a token', post({ payload: { step: 'voicemail' } })],
  ],
  strangers: [
    ['what we gave to a notify, without a token', deliverJson({ payload: { step: 'voicemail' } })],
    ['a token alone', get({})],
    ['a token and nothing else', post('')],
    ['an envelope of another provider', deliverJson({ data: { event_type: 'call.initiated' }, meta: {} })],
    ['an event of another provider', deliverJson({ eventType: 'initiate', callId: 'c-1', to: '+1', from: '+2' })],
    ['a form of another provider', { ...get({ CallSid: 'CA1', AccountSid: 'AC1' }), headers: {} }],
  ],
  accounts: [
    ['a token', post(payload('answer')), 'a1b2c3d4'],
    ['no token', say('answer'), null],
  ],
  called: [
    ['the caller', get(payload('answer')), '+15551239999'],
    ['a leg', say('legBusy', DIALED), ''],
  ],
  calls: [
    ['between two ends', say('answer'), BETWEEN_TWO],
    ['between two ends, at its end', over, BETWEEN_TWO],
    ['between two ends, by GET', get(payload('answer')), BETWEEN_TWO],
    ['of a leg', say('legAnswered', DIALED), CALL_OF_LEG],
    ['of a leg that pressed a key', say('legPressed', SCREENED), CALL_OF_LEG],
    ['of a recording', say('record', { route: 'recording' }), CALL_OF_LEG],
    [
      'from an app',
      deliverJson({ ...withoutCaller, from_user: 'Jane' }),
      { ...BETWEEN_TWO, from: { kind: 'client', value: 'client:Jane' } },
    ],
    [
      'from somebody who hides',
      say('answer', {}, { from: 'anonymous' }),
      { ...BETWEEN_TWO, from: { kind: 'anonymous', value: '' } },
    ],
    ['from nobody', deliverJson(withoutCaller), { ...BETWEEN_TWO, from: { kind: 'unknown', value: '' } }],
  ],
  events: [
    ['answer', say('answer'), [{ kind: 'initiated', legId: null }]],
    ['callerStarted', say('callerStarted', STATUS), [{ kind: 'initiated', legId: null }]],
    ['callerRinging', say('callerRinging', STATUS), [{ kind: 'ringing', legId: null }]],
    ['callerAnswered', say('callerAnswered', STATUS), [{ kind: 'answered', legId: null }]],
    ['callerCompleted', over, [{ kind: 'ended', legId: null, reason: 'completed', talkSeconds: 57 }]],
    ['machine', say('machine', STATUS), [{ kind: 'other', legId: null, raw: 'machine' }]],
    ['transfer', say('transfer', STATUS), [{ kind: 'other', legId: null, raw: 'transfer' }]],
    [
      'error',
      say('error', STATUS),
      [{ kind: 'other', legId: null, raw: 'Syntax error in NCCO. Invalid value type or action.' }],
    ],
    ...(
      [
        ['timeout', 'no_answer'],
        ['unanswered', 'no_answer'],
        ['busy', 'busy'],
        ['rejected', 'rejected'],
        ['failed', 'failed'],
        ['cancelled', 'canceled'],
      ] as const
    ).map(
      ([status, reason]) =>
        [`an end: ${status}`, say('callerStarted', {}, { status }), [{ kind: 'ended', legId: null, reason }]] as const,
    ),
    ...['levitating', 'constructor', '__proto__'].map(
      (status) =>
        [
          `not known: ${status}`,
          say('callerStarted', {}, { status }),
          [{ kind: 'other', legId: null, raw: status }],
        ] as const,
    ),
    ...['-1', '1e99', '1.5', 'x', '99999999', null].map(
      (duration) =>
        [
          `it lasted ${duration}`,
          say('callerCompleted', {}, { duration }),
          [{ kind: 'ended', legId: null, reason: 'completed' }],
        ] as const,
    ),
    [
      'a length as a number',
      say('callerCompleted', {}, { duration: 57 }),
      [{ kind: 'ended', legId: null, reason: 'completed', talkSeconds: 57 }],
    ],
    ['legRinging', say('legRinging', DIALED), [{ kind: 'ringing', legId: LEG }]],
    ['legAnswered', say('legAnswered', DIALED), [{ kind: 'bridged', legId: LEG }]],
    ['legAnswered, screened', say('legAnswered', SCREEN), [{ kind: 'forwarded', legId: LEG }]],
    ['legPressed', say('legPressed', SCREENED), [{ kind: 'bridged', legId: LEG }]],
    ['legNotPressed', say('legNotPressed', SCREENED), []],
    ['legOnAnswer', say('legOnAnswer', SCREEN), []],
    ['legBusy', say('legBusy', DIALED), [{ kind: 'forward_ended', legId: LEG, reason: 'busy', reachedHuman: false }]],
    [
      'legTimeout',
      say('legTimeout', SCREEN),
      [{ kind: 'forward_ended', legId: LEG, reason: 'no_answer', reachedHuman: false }],
    ],
    [
      'legCancelled',
      say('legCancelled', DIALED),
      [{ kind: 'forward_ended', legId: LEG, reason: 'canceled', reachedHuman: false }],
    ],
    [
      'legCompleted',
      say('legCompleted', DIALED),
      [{ kind: 'forward_ended', legId: LEG, reason: 'completed', talkSeconds: 45, reachedHuman: true }],
    ],
    [
      'legCompleted, screened',
      say('legCompleted', SCREEN),
      [{ kind: 'forward_ended', legId: LEG, reason: 'completed', talkSeconds: 45 }],
    ],
    ['legCompletedUntaken', say('legCompletedUntaken', DIALED), [{ kind: 'other', legId: LEG, raw: 'completed' }]],
    ['machine, on a leg', say('machine', DIALED), [{ kind: 'other', legId: LEG, raw: 'machine' }]],
    [
      'a leg that was over at once',
      say('legCompleted', DIALED, { duration: '0' }),
      [{ kind: 'other', legId: LEG, raw: 'completed' }],
    ],
    ['a recording', say('record', { route: 'recording' }), []],
    ['a message', say('record', MESSAGE), [{ kind: 'voicemail', legId: null }]],
    ['an empty message', say('recordEmpty', MESSAGE), []],
    ['a message of no length', say('record', MESSAGE, { end_time: payload('record')['start_time'] }), []],
  ],
  times: [
    ...['2026-11-16T09:15:00.000Z', '2026-11-16T09:15:00', '2026-11-16 09:15:00', '2026-11-16T10:15:00+01:00'].map(
      (timestamp) =>
        [timestamp, say('callerRinging', {}, { timestamp }), Date.parse('2026-11-16T09:15:00Z'), 'provider'] as const,
    ),
    ...['soon', '', null, 7, '2026-99-99T99:99:99Z'].map(
      (timestamp) => [`${timestamp}`, say('callerRinging', {}, { timestamp }), NOW, 'received'] as const,
    ),
  ],
  recordings: [
    [
      'available',
      say('record', { route: 'recording' }),
      {
        recordingId: 'd4c3b2a1-0f1e-4d2c-8b3a-49586776a5b4',
        status: 'available',
        callKey: CALL,
        startedAt: Date.parse('2026-11-16T09:15:30Z'),
        durationMs: 18_000,
        channels: null,
        source: null,
        errorCode: null,
        mediaUrl: 'https://api-us-3.vonage.com/v1/files/6c8d7e90-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
        mediaExpiresAt: null,
      },
    ],
    ['absent', say('recordEmpty', MESSAGE), { status: 'absent' }],
    ['two channels', say('record', {}, { channels: 2 }), { channels: 2 }],
    ...['2026-11-16T09:15:29Z', '2036-11-16T09:15:30Z', null, 'x'].map(
      (end_time) => [`it ended ${end_time}`, say('record', {}, { end_time }), { durationMs: null }] as const,
    ),
    ['nothing', say('answer'), null],
  ],
  transcripts: [
    [
      'to be fetched',
      say('transcribed', { route: 'recording' }),
      {
        status: 'available',
        callKey: CALL,
        text: null,
        url: 'https://api-us-3.vonage.com/v1/files/e5d4c3b2-0f1e-4d2c-8b3a-49586776a5b4',
      },
    ],
    ['nothing', say('record', { route: 'recording' }), null],
  ],
  stories: [
    ['someone answers', [...begun, ...story(DIALED, 'legAnswered', 'legCompleted'), over], 'answered', 45],
    ['the pickup is not reported', [...begun, say('legCompleted', DIALED), over], 'answered', 45],
    ['nobody answers', [...begun, ...story(DIALED, 'legTimeout', 'legCompletedUntaken'), over], 'missed', null],
    ['the line is busy', [...begun, ...story(DIALED, 'legBusy', 'legCompletedUntaken'), over], 'missed', null],
    [
      'it is declined, and a message left',
      [...begun, ...story(DIALED, 'legUnanswered', 'legCompletedUntaken'), say('record', MESSAGE), over],
      'voicemail',
      null,
    ],
    [
      'the caller hangs up',
      [...begun, ...story(DIALED, 'legCancelled', 'legCompletedUntaken'), over],
      'abandoned',
      null,
    ],
    [
      'somebody presses the key',
      [...begun, ...story(SCREEN, 'legAnswered', 'legCompleted'), say('legPressed', SCREENED), over],
      'answered',
      45,
    ],
    [
      'a machine presses none',
      [...begun, ...story(SCREEN, 'legAnswered', 'legCompleted'), say('legNotPressed', SCREENED), over],
      'missed',
      null,
    ],
    [
      'a call of ours, although "completed" follows',
      story(STATUS, 'legStarted', 'legBusy', 'legCompletedUntaken'),
      'busy',
    ],
  ],
  occasions: [
    ['a call comes in', say('answer'), { kind: 'answer' }],
    ['a call comes in, by GET', get(payload('answer')), { kind: 'answer' }],
    ['nobody answered', say('legTimeout', DIALED), { kind: 'after_dial', reached: false }],
    ['the line was busy', say('legBusy', DIALED), { kind: 'after_dial', reached: false }],
    ['it was declined', say('legUnanswered', SCREEN), { kind: 'after_dial', reached: false }],
    ['it was rejected', say('legRejected', DIALED), { kind: 'after_dial', reached: false }],
    ['failed', say('legFailed', DIALED), { kind: 'after_dial', reached: false }],
    ['the end that follows', say('legCompletedUntaken', DIALED), { kind: 'nothing' }],
    ['the caller hung up', say('legCancelled', DIALED), { kind: 'nothing' }],
    ['it rings', say('legRinging', DIALED), { kind: 'nothing' }],
    ['someone answered', say('legAnswered', SCREEN), { kind: 'nothing' }],
    ['the conversation is over', say('legCompleted', DIALED), { kind: 'nothing' }],
    ['the caller failed', say('callerStarted', DIALED, { status: 'failed' }), { kind: 'nothing' }],
    ['is it a person?', get(payload('legOnAnswer'), SCREEN), { kind: 'screen' }],
    ['a key was pressed', say('legPressed', SCREENED), { kind: 'screened', pressed: true }],
    ['no key was pressed', say('legNotPressed', SCREENED), { kind: 'screened', pressed: false }],
    ['keys in the older form', deliverJson({ uuid: 'a', dtmf: '4' }, SCREENED), { kind: 'screened', pressed: true }],
    ['a message was left', say('notify', { step: 'voicemail' }), { kind: 'after_voicemail' }],
    ['a notice', say('callerRinging', STATUS), { kind: 'nothing' }],
    ['a notice at the voice URL', say('callerStarted'), { kind: 'nothing' }],
    ['an answer request at the status URL', say('answer', STATUS), { kind: 'nothing' }],
    ['an error', say('error'), { kind: 'nothing' }],
    ['a recording', say('record', MESSAGE), { kind: 'nothing' }],
  ],
  documents: [
    [
      'greets, announces the recording, and forwards to the first number',
      { greeting: 'Hello', forwardTo, ringSeconds: 15, record: true },
      { kind: 'answer' },
      [
        { action: 'talk', text: 'Hello' },
        { action: 'talk', text: 'This call may be recorded.' },
        {
          action: 'record',
          format: 'mp3',
          split: 'conversation',
          channels: 2,
          eventMethod: 'POST',
          eventUrl: [RECORDING_URL],
        },
        {
          ...connect,
          eventUrl: [`${VOICE_URL}&step=dialed`],
          endpoint: [{ type: 'phone', number: '15551230002' }],
        },
      ],
    ],
    [
      'forwards and screens',
      { forwardTo, ringSeconds: 15, screen: true },
      { kind: 'answer' },
      [
        {
          ...connect,
          eventUrl: [`${VOICE_URL}&step=screen`],
          endpoint: [{ type: 'phone', number: '15551230002', onAnswer: { url: `${VOICE_URL}&step=screen` } }],
        },
      ],
    ],
    [
      'asks for the key',
      {},
      { kind: 'screen' },
      [
        { action: 'talk', text: 'You have a call. Press any key to accept.', bargeIn: true },
        {
          action: 'input',
          type: ['dtmf'],
          dtmf: { maxDigits: 1, timeOut: 8 },
          eventUrl: [`${VOICE_URL}&step=screened`],
          eventMethod: 'POST',
        },
        { action: 'wait', timeout: 7_200 },
      ],
    ],
    ['connects whoever pressed a key', {}, { kind: 'screened', pressed: true }, [{ action: 'wait', timeout: 0.1 }]],
    ['connects nobody else', {}, { kind: 'screened', pressed: false }, [{ action: 'wait', timeout: 7_200 }]],
    [
      'takes a message',
      { voicemailPrompt: 'Speak' },
      { kind: 'answer' },
      [{ action: 'talk', text: 'Speak' }, ...message],
    ],
    [
      'takes a message where nobody answers',
      { forwardTo, voicemailPrompt: 'Speak' },
      { kind: 'after_dial', reached: false },
      [{ action: 'talk', text: 'Speak' }, ...message],
    ],
    [
      'ends politely if voicemail is off',
      { voicemail: false },
      { kind: 'after_dial', reached: false },
      /^\[\{"action":"talk","text":"Sorry[^"]*"\}\]$/,
    ],
    ['thanks for a message', {}, { kind: 'after_voicemail' }, [{ action: 'talk', text: 'Thank you. Goodbye.' }]],
    ['says that a number is not in service', null, { kind: 'answer' }, notice],
    [
      'says a text and never carries it out',
      {
        greeting: '<speak>Hi <break time="9s"/></speak>"},{"action":"connect"',
        forwardTo: [],
        voicemailPrompt: 'Speak',
      },
      { kind: 'answer' },
      [
        { action: 'talk', text: 'speak Hi  break time="9s"/  /speak "},{"action":"connect"' },
        { action: 'talk', text: 'Speak' },
        ...message,
      ],
    ],
    [
      'says nothing where nothing is left to say',
      { greeting: '<>', voicemail: false },
      { kind: 'answer' },
      /^\[\{"action":"talk","text":"Sorry[^"]*"\}\]$/,
    ],
  ],
  contentType: 'application/json; charset=utf-8',
  spoken: (body) => JSON.parse(body).map(({ text }: Form) => text),
  acknowledged: 204,
  account: { accountId: 'a1b2c3d4', secrets: [], api: { applicationId, privateKey: pem } },
  fetched: ['api.nexmo.com', 'api-us.nexmo.com', 'api-us-3.vonage.com', 'api-eu-4.vonage.com'].map(
    (host) =>
      [
        host,
        at(`https://${host}${file}`),
        { url: `https://${host}${file}`, hosts: [host], redirectHosts: ['.nexmo.com', '.vonage.com'] },
      ] as const,
  ),
  removed: [['not at all', at(`https://api.nexmo.com${file}`), null]],
  missing: [
    ...[
      null,
      '',
      `http://api.nexmo.com${file}`,
      `https://api.nexmo.com.evil.test${file}`,
      `https://evil.test/api.nexmo.com${file}`,
      `https://user@api.nexmo.com${file}`,
      `https://api.nexmo.com:8443${file}`,
      `https://apixnexmo.com${file}`,
      `https://api.nexmo.com${file}/../../v1/calls`,
      `https://api.nexmo.com${file}?x=1`,
      'https://api.nexmo.com/v1/files/../calls',
      `https://api.nexmo.com${file}\n`,
    ].map((url) => [`from ${JSON.stringify(url)}`, at(url), {}] as const),
    ...[
      {},
      { applicationId },
      { privateKey: pem },
      { applicationId, privateKey: 'x' },
      { applicationId, privateKey: String(curve) },
    ].map(
      (api: Partial<Form>) =>
        [
          `with ${Object.entries(api).map(([name, value]) => `${name} ${value?.slice(0, 40).trim()}`)}`,
          at(`https://api.nexmo.com${file}`),
          { api: api as Form },
        ] as const,
    ),
  ],
  fields: [
    ['API key', vonage.rules.accountId?.pattern, ['a1b2c3d4', applicationId], ['a1b2 c3d4', '', 'x']],
    ['Signature secret', vonage.rules.secret.pattern, ['vonage_signature_secret_test_0123456789'], ['']],
    ['Application ID', vonage.rules.api['applicationId']?.pattern, [applicationId], ['my-application']],
    [
      'Private key',
      vonage.rules.api['privateKey']?.pattern,
      [pem],
      ['-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----'],
    ],
  ],
  retry: '',
  notes: /signed webhooks.*first one rings/,
});
