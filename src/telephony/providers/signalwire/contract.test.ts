import { createHash, createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { testProvider } from '../../../../test/harness/provider-contract.ts';
import {
  deliver,
  deliverForm,
  type Form,
  PUBLIC_URL,
  readFixture,
  type Where,
  withHeaders,
} from '../../../../test/harness/vendors/deliver.ts';
import {
  markupReplies,
  markupSignatures,
  screenedOccasions,
  screenedStories,
} from '../../../../test/harness/vendors/markup.ts';
import { contentTypeOf, type Delivery, FORM, JSON_TYPE } from '../../contract/delivery.ts';
import { signalwire } from './index.ts';

type Vector = { name: string; signingKey: string; method: 'GET' | 'POST'; url: string; params?: Form; headers: Form };
type Library = { RestClient: { validateRequest(key: string, signature: string, url: string, params: Form): boolean } };
// The library is called without its types, because they can't be resolved from a module.
const library: Library = createRequire(import.meta.url)('@signalwire/compatibility-api');
const { validateRequest } = library.RestClient;

const KEY = 'PSK_a_signing_key';
const HEADER = 'x-signalwire-signature';
const NOON = Date.parse('2026-11-16T12:00:00Z');
const PROJECT = '152c7660-e9cb-4d62-a4c9-000000000001';
const RECORDING = 'b3877c40-da60-4998-90ad-00000000000f';

const forms = readFixture<Record<string, Form>>('signalwire', 'cxml');
const INCOMING = forms['incoming'] ?? {};
const CALL = INCOMING['CallSid'] ?? '';
const LEG = forms['screening']?.['CallSid'] ?? '';
const form = (name: string, where: Where = {}, changes: Form = {}) =>
  deliverForm({ ...forms[name], ...changes }, where);

const formOf = (delivery: Delivery): Form =>
  delivery.method === 'POST' && contentTypeOf(delivery) === FORM
    ? Object.fromEntries(new URLSearchParams(delivery.body.toString()))
    : {};

/** Signs as documented, and as the vendor's library checks. */
const sign = (delivery: Delivery, secret = KEY): Delivery => {
  const values = Object.entries(formOf(delivery)).sort(([left], [right]) => (left < right ? -1 : 1));
  const text = `${PUBLIC_URL}${delivery.target}${values.flat().join('')}`;
  return withHeaders(delivery, { [HEADER]: createHmac('sha1', secret).update(text).digest('base64') });
};

const json = JSON.stringify({ CallSid: CALL, CallStatus: 'ringing' });
const digest = createHash('sha256').update(json).digest('hex');
const { accepted, malformed } = markupSignatures(INCOMING, {
  CallSid: CALL,
  ParentCallSid: CALL,
  DialCallSid: CALL,
  AccountSid: CALL,
  RecordingSid: CALL,
});
const keyPressed = (changes: Form) => form('keyPressed', { step: 'screened' }, changes);
const recording = { recordingId: RECORDING, mediaUrl: 'https://evil.example/a.mp3' };
const fetchedFrom = `https://example.signalwire.com/api/laml/2010-04-01/Accounts/${PROJECT}/Recordings/${RECORDING}`;
const request = {
  headers: { authorization: `Basic ${btoa(`${PROJECT}:PT0123456789`)}` },
  hosts: ['example.signalwire.com'],
  redirectHosts: ['.signalwire.com', 's3.us-east-2.amazonaws.com'],
};

testProvider(signalwire, {
  now: NOON,
  secret: KEY,
  otherSecret: 'PSK_another_key',
  sign,
  isAcceptedByVendor: (delivery) =>
    validateRequest(KEY, String(delivery.headers[HEADER]), `${PUBLIC_URL}${delivery.target}`, formOf(delivery)),
  proofs: [HEADER],
  covers: { address: true, content: true },
  deliveries: Object.fromEntries(Object.keys(forms).map((name) => [name, form(name)])),
  withText: (text) => deliverForm({ ...INCOMING, CallerName: text }),
  accepted: [
    ...accepted,
    [
      'JSON whose digest is in the address',
      { ...deliver(JSON_TYPE, json), target: `/api/webhooks/telephony/voice?bodySHA256=${digest}` },
    ],
  ],
  malformed,
  published: readFixture<Vector[]>('signalwire', 'signatures').map(
    ({ name, signingKey, method, url, params = {}, headers }) => {
      const target = url.slice(PUBLIC_URL.length);
      const posted = { ...withHeaders(deliverForm(params), headers), target };
      const delivery = method === 'POST' ? posted : { ...posted, method, body: Buffer.alloc(0) };
      const body = delivery.body.toString();
      return {
        name,
        delivery,
        secret: signingKey,
        bent: [
          { ...delivery, target: `${target}&x=1` },
          { ...delivery, target: target.replace('voice', 'recording').replace('?', '?step=status&') },
          ...(method === 'POST'
            ? [
                { ...delivery, body: Buffer.from(`${body}&X=1`) },
                { ...delivery, body: Buffer.from(body.replace('1', '2')) },
                { ...delivery, method: 'GET' as const },
              ]
            : []),
        ],
      };
    },
  ),
  recognized: [['its own header', withHeaders(deliverForm({}), { [HEADER]: 'x' })]],
  strangers: [
    ['the header of another provider', withHeaders(deliverForm({}), { 'x-twilio-signature': 'x' })],
    ['an account of another form', form('incoming', {}, { AccountSid: `AC${'0'.repeat(32)}` })],
    ['a call of another form', form('incoming', {}, { CallSid: 'v3:abcdefgh' })],
  ],
  accounts: [['a form', form('incoming'), PROJECT]],
  called: [['a form', form('incoming'), '+15551239999']],
  calls: [
    [
      'between two ends',
      form('completed', { step: 'status' }),
      {
        callKey: CALL,
        direction: 'inbound',
        from: { kind: 'number', value: '+15551230001' },
        to: { kind: 'number', value: '+15551239999' },
      },
    ],
    ['of a leg', form('screening', { step: 'screen' }), { callKey: CALL, direction: null, from: null, to: null }],
    ["none if a leg doesn't name the caller", form('screening', { step: 'screen' }, { ParentCallSid: '' }), null],
    ["none if a pressed key doesn't name the caller", keyPressed({ ParentCallSid: '' }), null],
  ],
  events: [
    [
      'it ended',
      form('completed', { step: 'status' }),
      [{ kind: 'ended', legId: null, reason: 'completed', talkSeconds: 60 }],
    ],
    [
      'an absurd duration',
      form('completed', { step: 'status' }, { CallDuration: '999999999' }),
      [{ kind: 'ended', legId: null, reason: 'completed' }],
    ],
    [
      'an unknown status is kept',
      form('answered', { step: 'status' }, { CallStatus: 'teleported' }),
      [{ kind: 'other', legId: null, raw: 'teleported' }],
    ],
    [
      'the key was pressed',
      keyPressed({}),
      [
        { kind: 'forwarded', legId: LEG },
        { kind: 'bridged', legId: LEG },
      ],
    ],
    ['no key was pressed', keyPressed({ Digits: '' }), [{ kind: 'forwarded', legId: LEG }]],
    ["a leg that doesn't name the caller", form('screening', { step: 'screen' }, { ParentCallSid: '' }), []],
    ["a key on a leg that doesn't name the caller", keyPressed({ ParentCallSid: '' }), []],
  ],
  times: [
    ['as reported', form('completed', { step: 'status' }), NOON + 60_000, 'provider'],
    ['not reported', form('incoming'), NOON, 'received'],
  ],
  recordings: [
    [
      'available',
      form('recordingDone'),
      { status: 'available', durationMs: 42_000, channels: 2, startedAt: NOON + 10_000, mediaExpiresAt: null },
    ],
    ['in progress', form('recordingBegun'), { status: 'in_progress' }],
    ['absent', form('recordingAbsent'), { status: 'absent' }],
    ['nothing', form('incoming'), null],
  ],
  transcripts: [
    ['ready', form('transcribed'), { status: 'ready', callKey: CALL, text: 'Please call me back from 3 to 5.' }],
    ['failed, without its call', form('notTranscribed'), { status: 'failed', callKey: null, text: null }],
    ['nothing', form('recordingDone'), null],
  ],
  stories: screenedStories(form),
  occasions: screenedOccasions(form),
  ...markupReplies('screened'),
  acknowledged: 204,
  account: {
    accountId: PROJECT,
    secrets: [{ id: 's1', value: KEY }],
    api: { space: 'Example', token: 'PT0123456789' },
  },
  fetched: [['on the host of the space', recording, { ...request, url: `${fetchedFrom}.mp3` }]],
  removed: [['on the host of the space', recording, { ...request, url: `${fetchedFrom}.json` }]],
  missing: [
    ['the project', recording, { accountId: null }, 'the Project ID'],
    ['the space', recording, { api: { token: 'PT0123456789' } }, 'the name of the space (api.space)'],
    ['the token', recording, { api: { space: 'example' } }, 'an API token (api.token)'],
    ['an id', { ...recording, recordingId: '../../x' }, {}],
  ],
  fields: [
    ['Project ID', signalwire.rules.accountId?.pattern, [PROJECT], ['', `AC${'0'.repeat(32)}`, `${PROJECT}0`]],
    ['Signing Key', signalwire.rules.secret.pattern, [KEY], ['', 'short']],
    [
      'Space: one label, which cannot lead elsewhere',
      signalwire.rules.api['space']?.pattern,
      ['example', 'my-space-2'],
      ['', 'evil.example/', 'a.b', 'a@b', 'a#', '-a', 'a/'],
    ],
  ],
  retry: '',
  notes: /Signing Key.*API tokens/,
});
