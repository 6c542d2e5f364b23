import { testProvider } from '../../../../test/harness/provider-contract.ts';
import { deliver, NAMES, payloads, screened } from '../../../../test/harness/vendors/bandwidth.ts';
import {
  deliverForm,
  deliverJson,
  type Payload,
  PUBLIC_URL,
  readFixture,
  withHeaders,
} from '../../../../test/harness/vendors/deliver.ts';
import { type Delivery, FORM } from '../../contract/delivery.ts';
import { bandwidth } from './index.ts';

type Vector = { name: string; secret: string; authorization: string };

const SECRET = 'patchbay:Zp3vWq8LxT6nRb1YkD5mHs9C';
const RECEIVED = Date.parse('2026-11-16T13:00:00Z');
const at = (time: string): number => Date.parse(`2026-11-16T${time}Z`);
const initiate = payloads['initiate'] ?? {};
const CALL = String(initiate['callId']);
const LEG = String(payloads['transferAnswer']?.['callId']);
const CALL_OF_LEG = { callKey: CALL, direction: null, from: null, to: null };

const basic = (secret: string): string => `Basic ${Buffer.from(secret).toString('base64')}`;
const say = (changes: Payload): Delivery => deliver('initiate', changes);
const raw = (body: string): Delivery => ({ ...deliver('initiate'), body: Buffer.from(body) });
const withTarget = (target: string): Delivery => ({ ...deliver('initiate'), target });
const get = (query: string): Delivery => ({
  ...raw(''),
  method: 'GET',
  target: `/api/webhooks/telephony/voice?${query}`,
});
const recordingByGet = new URLSearchParams(
  Object.entries(payloads['recordingAvailable'] ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
);
const ended = (reason: string) => [{ kind: 'ended', legId: null, reason }] as never;

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';
const STEP = `${PUBLIC_URL}/voice?account=a1&amp;step=dialed`;
const forwardTo = ['+15551230001', '+15551230002'];
const MESSAGE =
  /<SpeakSentence>[^<]+<\/SpeakSentence><StopRecording\/><SendDtmf [^>]*>1<\/SendDtmf><Record recordCompleteUrl="[^"]*\/voice[^"]*step=voicemail" recordingAvailableUrl="[^"]*\/recording\?account=a1&amp;step=voicemail" maxDuration="180" fileFormat="mp3"\/>/;

const RECORDING = 'r-fbe05094-9fd2afe9-bf5b-4c68-820a-41a01c1c5833';
const CALL_URL = 'https://voice.bandwidth.com/api/v2/accounts/9900778/calls/c-15ac29a2-1331029c';
const locate = (mediaUrl: string | null) => ({ recordingId: RECORDING, mediaUrl });
const recording = locate(`${CALL_URL}/recordings/${RECORDING}/media`);
const path = `/api/v2/accounts/9900778/calls/c-1/recordings/${RECORDING}/media`;
const request = {
  headers: {},
  hosts: ['voice.bandwidth.com'],
  redirectHosts: [],
  token: {
    url: 'https://api.bandwidth.com/api/v1/oauth2/token',
    headers: { authorization: basic('archive:client-secret'), 'content-type': FORM },
    body: 'grant_type=client_credentials',
    hosts: ['api.bandwidth.com'],
  },
};

testProvider(bandwidth, {
  now: RECEIVED,
  secret: SECRET,
  otherSecret: 'patchbay:another-password-0123456789',
  sign: (delivery, secret = SECRET) => withHeaders(delivery, { authorization: basic(secret) }),
  proofs: ['authorization'],
  covers: { address: false, content: false },
  deliveries: Object.fromEntries(NAMES.map((name) => [name, deliver(name)])),
  withText: (text) => say({ displayName: text, diversion: { reason: text } }),
  accepted: [
    [
      'a GET',
      get(`${new URLSearchParams({ account: 'a1', eventType: 'initiate', callId: 'c-1', to: '+15551230200' })}`),
    ],
    ['our own params', withTarget('/voice?account=a&number=n&step=dialed&screen=1')],
    ['an id that is null', say({ parentCallId: null })],
  ],
  malformed: [
    ['a foreign query parameter', withTarget('/voice?account=a1&callId=c-2')],
    ['a repeated step', withTarget('/voice?step=status&step=dialed')],
    ['a repeated field', get('eventType=initiate&callId=c-1&callId=c-2')],
    ['a GET that has a body too', { ...get('eventType=initiate&callId=c-1'), body: Buffer.from('{}') }],
    ['a form', withHeaders(deliver('initiate'), { 'content-type': FORM })],
    ['no type', withHeaders(deliver('initiate'), { 'content-type': '' })],
    ['a list', deliverJson([initiate])],
    ['half of it', raw(JSON.stringify(initiate).slice(0, -9))],
    ['nothing', raw('')],
    ['an id that is an address', say({ callId: '../c-1' })],
    ['an id with an address behind it', say({ callId: 'c-1/../x' })],
    ['an id that is too long', say({ parentCallId: 'c'.repeat(129) })],
    ['a recording with more behind it', say({ recordingId: 'r-1?x' })],
    ['an id that is a number', say({ callId: 1 })],
    ['a recording that is an object', say({ recordingId: {} })],
    ['no kind of event', say({ eventType: undefined })],
    ['a kind of event that is none', say({ eventType: 'a b' })],
    ['a kind of event with more behind it', say({ eventType: 'initiate2' })],
  ],
  published: readFixture<Vector[]>('bandwidth', 'signatures').map(({ name, secret, authorization }) => ({
    name,
    delivery: withHeaders(deliver('initiate'), { authorization }),
    secret,
    bent: [`${authorization}=`, authorization.replace(/=+$/, '')].map((bent) =>
      withHeaders(deliver('initiate'), { authorization: bent }),
    ),
  })),
  recognized: [
    ['an event without an account', deliver('legTalked')],
    ['a GET', { ...get(`${recordingByGet}`), route: 'recording' }],
  ],
  strangers: [
    ['a password and nothing else', withHeaders(raw('{}'), { authorization: 'Basic dTpw' })],
    ['an event of nothing', raw('{"eventType":"initiate"}')],
    ['a form', deliverForm({ eventType: 'initiate', callId: 'c-1' })],
  ],
  accounts: [
    ['a call', deliver('initiate'), '9900778'],
    ['a leg', deliver('legTalked'), null],
  ],
  called: (['initiate', 'transferAnswer', 'transferOver'] as const).map(
    (name) => [name, deliver(name), '+15551230200'] as const,
  ),
  calls: [
    [
      'between two ends',
      deliver('initiate'),
      {
        callKey: CALL,
        direction: 'inbound',
        from: { kind: 'number', value: '+15551230100' },
        to: { kind: 'number', value: '+15551230200' },
      },
    ],
    ['of a leg that picks up', deliver('transferAnswer'), CALL_OF_LEG],
    ['of a leg that presses a key', deliver('keyPressed'), CALL_OF_LEG],
    ['of a leg that has talked', deliver('legTalked'), CALL_OF_LEG],
    [
      'of which much is left out, from a caller who hides',
      say({ from: 'Restricted', to: undefined, direction: 'sideways' }),
      { callKey: CALL, direction: null, from: { kind: 'anonymous', value: '' }, to: null },
    ],
  ],
  events: [
    ['a call comes in', deliver('initiate'), [{ kind: 'initiated', legId: null }]],
    ['someone or something picks up', deliver('transferAnswer'), [{ kind: 'forwarded', legId: LEG }]],
    ['a person presses a key', deliver('keyPressed'), [{ kind: 'bridged', legId: LEG }]],
    ['no key was pressed', deliver('noKeyPressed'), []],
    ['a key at another step', deliver('keyPressed', {}, {}), []],
    ['a key of the caller', deliver('keyPressed', { parentCallId: null }), []],
    [
      'a leg has talked',
      deliver('legTalked'),
      [{ kind: 'forward_ended', legId: LEG, reason: 'completed', reachedHuman: true, talkSeconds: 65 }],
    ],
    [
      'a leg that was asked for a key has ended',
      screened('legTalked'),
      [{ kind: 'forward_ended', legId: LEG, reason: 'completed', reachedHuman: false }],
    ],
    ...['busy', 'timeout', 'cancel', 'rejected', 'error', 'hangup', 'unknown'].map((cause, index) => {
      const reasons = ['busy', 'no_answer', 'canceled', 'rejected', 'failed', 'completed', 'unknown'];
      return [`an end by ${cause}`, deliver('disconnect', { cause }), ended(reasons[index] ?? '')] as const;
    }),
    ...['callback-error', 'invalid-bxml', 'application-error', 'account-limit', 'node-capacity-exceeded'].map(
      (cause) => [`an end by ${cause}`, deliver('disconnect', { cause }), ended('failed')] as const,
    ),
    ...['sunspots', 'constructor', '__proto__'].map(
      (cause) =>
        [
          `an end by ${cause}, of which nobody has heard`,
          deliver('disconnect', { cause }),
          [{ kind: 'ended', legId: null, reason: 'unknown', raw: cause }],
        ] as const,
    ),
    ['an end by nothing', deliver('disconnect', { cause: undefined }), ended('unknown')],
    ...['redirect', 'dtmf', 'machineDetectionComplete', 'somethingNew'].map(
      (eventType) => [eventType, say({ eventType }), [{ kind: 'other', legId: null, raw: eventType }]] as const,
    ),
    ['a message', deliver('recordComplete'), [{ kind: 'voicemail', legId: null }]],
    ['a message that is there', deliver('recordingAvailable'), [{ kind: 'voicemail', legId: null }]],
    ['a message that is too short', deliver('recordingAvailable', { duration: 'PT0.4S' }), []],
    ['a message that failed', deliver('recordingAvailable', { status: 'error' }), []],
    ['the recording of a talk', deliver('recordingAvailable', {}, { route: 'recording' }), []],
  ],
  times: [
    ['the start of the call', deliver('initiate'), at('12:00:00.000'), 'provider'],
    ['no zone', say({ startTime: '2026-11-16T12:00:00.500', eventTime: null }), at('12:00:00.500'), 'provider'],
    ['a zone', say({ startTime: '2026-11-16T13:00:00+01:00', eventTime: null }), at('12:00:00'), 'provider'],
    ['the event', say({ startTime: 'yesterday', eventTime: '2026-11-16T12:00:01Z' }), at('12:00:01'), 'provider'],
    ['nonsense', say({ startTime: '2026-13-99T12:00:00Z', eventTime: 1_700_000_000 }), RECEIVED, 'received'],
  ],
  recordings: [
    [
      'available',
      deliver('recordingAvailable'),
      {
        recordingId: String(payloads['recordingAvailable']?.['recordingId']),
        status: 'available',
        callKey: CALL,
        startedAt: at('12:00:31.000'),
        durationMs: 19_890,
        channels: 1,
        source: null,
        errorCode: null,
        mediaUrl: String(payloads['recordingAvailable']?.['mediaUrl']),
        mediaExpiresAt: null,
      },
    ],
    ['it is not there yet', deliver('recordComplete'), { status: 'in_progress' }],
    [
      'parts are missing',
      deliver('recordingAvailable', { status: 'partial' }),
      { status: 'available', errorCode: 'partial' },
    ],
    ['failed', deliver('recordingAvailable', { status: 'error' }), { status: 'failed', errorCode: 'error' }],
    [
      'an unknown status',
      deliver('recordingAvailable', { status: 'novel' }),
      { status: 'available', errorCode: 'novel' },
    ],
    ['of a leg', deliver('recordingAvailable', { parentCallId: 'c-0' }), { callKey: 'c-0' }],
    ['nothing', deliver('initiate'), null],
    ...(
      [
        ['PT20.056S', 20_056],
        ['PT1M3S', 63_000],
        ['PT1H', 3_600_000],
        ['P1DT1S', 86_401_000],
        ['PT0S', 0],
        ['P', null],
        ['PT', null],
        ['P1DT', null],
        ['-PT5S', null],
        ['PT-5S', null],
        ['PT999999999H', null],
        ['20', null],
        [20, null],
      ] as const
    ).map(
      ([duration, durationMs]) =>
        [`it lasted ${duration}`, deliver('recordingAvailable', { duration }), { durationMs }] as const,
    ),
  ],
  transcripts: [
    [
      'to be fetched',
      deliver('transcriptionAvailable'),
      {
        status: 'available',
        callKey: CALL,
        text: null,
        url: String(payloads['recordingAvailable']?.['mediaUrl']).replace('/media', '/transcription'),
      },
    ],
    ['nothing', deliver('recordingAvailable'), null],
  ],
  stories: [
    [
      'two were rung, and one answered',
      NAMES.filter((name) => /^(?:initiate|legTalked|legCanceled|transferOver|disconnect)$/.test(name)).map((name) =>
        deliver(name),
      ),
      'answered',
      65,
    ],
    ['the caller hangs up first', [deliver('initiate'), deliver('legTalked'), deliver('disconnect')], 'answered', 65],
    [
      'somebody pressed a key',
      [
        deliver('initiate'),
        deliver('transferAnswer'),
        deliver('keyPressed'),
        screened('legTalked'),
        screened('transferOver'),
        deliver('disconnect'),
      ],
      'answered',
      59,
    ],
    [
      'nobody pressed a key',
      [
        deliver('initiate'),
        deliver('transferAnswer'),
        deliver('noKeyPressed'),
        screened('legRefused'),
        screened('transferRefused'),
        deliver('disconnect'),
      ],
      'missed',
      null,
    ],
    [
      'nobody answered',
      [deliver('initiate'), deliver('legTimedOut'), deliver('transferTimedOut'), deliver('disconnect')],
      'missed',
      null,
    ],
    [
      'everybody was busy',
      [deliver('initiate'), deliver('legBusy'), deliver('transferTimedOut', { cause: 'busy' }), deliver('disconnect')],
      'missed',
      null,
    ],
    [
      'a message was left',
      [
        deliver('initiate'),
        deliver('legTimedOut'),
        deliver('transferTimedOut'),
        deliver('recordComplete'),
        deliver('recordingAvailable'),
        deliver('disconnect'),
      ],
      'voicemail',
      null,
    ],
    [
      'a message was left, and the caller just hung up',
      [
        deliver('initiate'),
        deliver('legTimedOut'),
        deliver('transferTimedOut'),
        deliver('disconnect'),
        deliver('recordingAvailable'),
      ],
      'voicemail',
      null,
    ],
    [
      'the caller hangs up while it rings',
      [deliver('initiate'), deliver('otherLegCanceled'), deliver('legCanceled'), deliver('disconnect')],
      'abandoned',
      null,
    ],
    ['the caller hangs up at once', [deliver('initiate'), deliver('disconnectCanceled')], 'abandoned', null],
    ['our service was down', [deliver('initiate'), deliver('disconnect', { cause: 'callback-error' })], 'failed', null],
  ],
  occasions: [
    ['a call comes in', deliver('initiate'), { kind: 'answer' }],
    ['the dialed person picked up', deliver('transferAnswer'), { kind: 'screen' }],
    ['a key was pressed', deliver('keyPressed'), { kind: 'screened', pressed: true }],
    ['no key was pressed', deliver('noKeyPressed'), { kind: 'screened', pressed: false }],
    ['nobody answered', deliver('transferTimedOut'), { kind: 'after_dial', reached: false }],
    ['the conversation is over', deliver('transferOver'), { kind: 'after_dial', reached: true }],
    [
      'someone hung up who may not have pressed a key',
      screened('transferOver'),
      { kind: 'after_dial', reached: false },
    ],
    ['a message was left', deliver('recordComplete'), { kind: 'after_voicemail' }],
    ['a leg has ended', deliver('legTalked'), { kind: 'nothing' }],
    ['the call has ended', deliver('disconnect'), { kind: 'nothing' }],
    ['the call has ended, at the voice URL', deliver('disconnect', {}, {}), { kind: 'nothing' }],
    ['a call comes in, at the status URL', deliver('initiate', {}, { step: 'status' }), { kind: 'nothing' }],
    ['a recording is available', deliver('recordingAvailable'), { kind: 'nothing' }],
    ['a recording is available, at the voice URL', deliver('recordingAvailable', {}, {}), { kind: 'nothing' }],
    ['an unknown event', deliverJson({}), { kind: 'nothing' }],
  ],
  documents: [
    [
      'greets, announces the recording, and forwards',
      { greeting: 'Hello', forwardTo, ringSeconds: 15, record: true },
      { kind: 'answer' },
      `${HEAD}<Response><SpeakSentence>Hello</SpeakSentence><SpeakSentence>This call may be recorded.</SpeakSentence>` +
        `<StartRecording recordingAvailableUrl="${PUBLIC_URL}/recording?account=a1" multiChannel="true" fileFormat="mp3"/>` +
        `<Transfer transferCompleteUrl="${STEP}" callTimeout="15"><PhoneNumber transferDisconnectUrl="${STEP}">+15551230001</PhoneNumber>` +
        `<PhoneNumber transferDisconnectUrl="${STEP}">+15551230002</PhoneNumber></Transfer></Response>`,
    ],
    ['records nothing', { forwardTo }, { kind: 'answer' }, /^(?!.*Recording).*<Transfer/],
    [
      'rings at most eight, as more would end the call',
      { forwardTo: Array.from({ length: 10 }, (_, index) => `+1555123000${index}`) },
      { kind: 'answer' },
      /^(?:(?!<PhoneNumber).)*(?:<PhoneNumber [^>]*>[^<]*<\/PhoneNumber>){8}<\/Transfer>/,
    ],
    [
      'screens, and says so in the URLs',
      { forwardTo, screen: true },
      { kind: 'answer' },
      /<Transfer transferCompleteUrl="[^"]*step=dialed&amp;screen=1".*<PhoneNumber transferAnswerUrl="[^"]*step=screen" transferDisconnectUrl="[^"]*step=dialed&amp;screen=1">/,
    ],
    [
      'asks for the key',
      {},
      { kind: 'screen' },
      /<Gather gatherUrl="[^"]*step=screened" maxDigits="1" firstDigitTimeout="8"><SpeakSentence>[^<]+<\/SpeakSentence><\/Gather><Hangup\/>/,
    ],
    [
      'hangs up if no key was pressed',
      {},
      { kind: 'screened', pressed: false },
      `${HEAD}<Response><Hangup/></Response>`,
    ],
    [
      'that connects the two is not empty: an empty one would hang up',
      {},
      { kind: 'screened', pressed: true },
      `${HEAD}<Response><Tag>connected</Tag></Response>`,
    ],
    ['takes a message', {}, { kind: 'answer' }, MESSAGE],
    ['takes a message where nobody answers', { forwardTo }, { kind: 'after_dial', reached: false }, MESSAGE],
    [
      'ends politely if voicemail is off',
      { voicemail: false },
      { kind: 'answer' },
      /<SpeakSentence>[^<]+<\/SpeakSentence><Hangup\/>/,
    ],
    ['ends after a talk', {}, { kind: 'after_dial', reached: true }, `${HEAD}<Response><Hangup/></Response>`],
    [
      'thanks for a message',
      {},
      { kind: 'after_voicemail' },
      /<SpeakSentence>Thank you[^<]*<\/SpeakSentence><Hangup\/>/,
    ],
    ['says that a number is not in service', null, { kind: 'answer' }, /not in service.*<Hangup\/>/],
    [
      'says a text and never carries it out',
      { greeting: '</SpeakSentence><Transfer><PhoneNumber>+15559990000</PhoneNumber></Transfer>' },
      { kind: 'answer' },
      /^(?!.*(?:<Transfer|<PhoneNumber))/,
    ],
    [
      'never says nothing',
      { greeting: ' \u0000 ' },
      { kind: 'answer' },
      /^(?!.*(?:<SpeakSentence>\s*<\/SpeakSentence>|<SpeakSentence\/>))/,
    ],
  ],
  contentType: 'application/xml; charset=utf-8',
  spoken: (body) => [...body.matchAll(/<SpeakSentence>([\s\S]*?)<\/SpeakSentence>/g)].map(([, text = '']) => text),
  acknowledged: 204,
  account: {
    accountId: '9900778',
    secrets: [{ id: 's1', value: SECRET }],
    api: { clientId: 'archive', clientSecret: 'client-secret' },
  },
  fetched: [
    [
      'by its ids, with a token for the API credentials',
      recording,
      { ...request, url: `${CALL_URL}/recordings/${RECORDING}/media` },
    ],
  ],
  removed: [['with everything about it', recording, { ...request, url: `${CALL_URL}/recordings/${RECORDING}` }]],
  missing: [
    ...[{}, { clientId: 'archive' }, { clientSecret: 'secret' }, { clientId: '', clientSecret: '' }].map(
      (api: Partial<Record<string, string>>) =>
        [
          `with ${JSON.stringify(api)}: what verifies deliveries fetches nothing`,
          recording,
          { api: api as Record<string, string> },
          'api.clientId and api.clientSecret',
        ] as const,
    ),
    ['the account', recording, { accountId: null }, 'the account ID'],
    ...[
      null,
      '',
      `http://voice.bandwidth.com${path}`,
      `https://evil.example.test${path}`,
      `https://voice.bandwidth.com.evil.example.test${path}`,
      `https://voice.bandwidth.com@evil.example.test${path}`,
      `https://evil.example.test/https://voice.bandwidth.com${path}`,
      `https://voice.bandwidth.com:8443${path}`,
      `https://voice.bandwidth.com${path}?x=1`,
      `https://voice.bandwidth.com${path}#x`,
      `https://voice.bandwidth.com${path}\n`,
      `https://voice.bandwidth.com${path.replace('c-1', '..')}`,
      `https://voice.bandwidth.com${path.replace('c-1', 'c-1%2f..')}`,
      `https://voice.bandwidth.com${path.replace('9900778', '9900779')}`,
      `https://voice.bandwidth.com${path.replace(RECORDING, 'r-another')}`,
      `https://voice.bandwidth.com${path.replace('/media', '')}`,
    ].map((url) => [`from ${JSON.stringify(url)}`, locate(url), {}] as const),
  ],
  fields: [
    ['account ID', bandwidth.rules.accountId?.pattern, ['9900778'], ['../9900778', '']],
    [
      'a name and a long password',
      bandwidth.rules.secret.pattern,
      [SECRET],
      ['', 'patchbay', 'patchbay:', ':Zp3vWq8LxT6nRb1YkD5mHs9C', 'patchbay:hunter2', `a b:${'x'.repeat(30)}`],
    ],
  ],
  retry: '',
  notes: /https/,
});
