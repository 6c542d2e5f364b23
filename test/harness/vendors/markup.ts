import type { Delivery } from '../../../src/telephony/contract/delivery.ts';
import type { ProviderContract } from '../provider-contract.ts';
import { byGet, deliverForm, type Form, PUBLIC_URL, type Where } from './deliver.ts';

type Contract<Part extends keyof ProviderContract> = Pick<ProviderContract, Part>;

/** For dialects that sign the URL and the form: which ids and queries are accepted. Each of `ids` is well formed. */
export const markupSignatures = (call: Form, ids: Form): Contract<'accepted' | 'malformed'> => {
  const at = (query: string) => ({ ...deliverForm(call), target: `/voice?${query}` });
  const wrongOf = (id: string) => [`${id}0`, `0${id}`, `${id} `, `${id}\n`, `${id}/../x`, id.slice(0, -1), id.slice(1)];
  return {
    accepted: [
      ['a query of ours', at('account=a1&step=dialed')],
      ['a GET', byGet(deliverForm(call))],
      ...Object.entries(ids).map(([name, id]) => [`${name}=${id}`, deliverForm({ ...call, [name]: id })] as const),
    ],
    malformed: [
      ['a foreign query parameter', at('account=a1&more=1')],
      ['no call and no recording', deliverForm({ CallStatus: 'ringing' })],
      ...Object.entries(ids).flatMap(([name, id]) =>
        wrongOf(id).map(
          (wrong) => [`${name}=${JSON.stringify(wrong)}`, deliverForm({ ...call, [name]: wrong })] as const,
        ),
      ),
    ],
  };
};

/** `afterDial`: the step that screened forwarding returns to. */
export const markupReplies = (afterDial: 'dialed' | 'screened'): Contract<'documents' | 'contentType' | 'spoken'> => {
  const forwardTo = ['+15551230001', '+15551230002'];
  const answer = { kind: 'answer' } as const;
  return {
    documents: [
      [
        'greets, announces the recording, and forwards',
        { greeting: 'Hello', forwardTo, ringSeconds: 15, record: true },
        answer,
        '<?xml version="1.0" encoding="UTF-8"?><Response><Say>Hello</Say><Say>This call may be recorded.</Say>' +
          `<Dial action="${PUBLIC_URL}/voice?account=a1&amp;step=dialed" timeout="15" record="record-from-answer-dual"` +
          ` recordingStatusCallback="${PUBLIC_URL}/recording?account=a1">` +
          '<Number>+15551230001</Number><Number>+15551230002</Number></Dial></Response>',
      ],
      [
        'forwards and screens',
        { forwardTo, screen: true, record: true },
        answer,
        new RegExp(
          `<Dial action="[^"]*step=${afterDial}"[^>]*record="record-from-answer-dual".*<Number url="[^"]*step=screen">`,
        ),
      ],
      [
        'asks for the key',
        {},
        { kind: 'screen' },
        /<Gather action="[^"]*step=screened"[^>]*><Say>[^<]+<\/Say><\/Gather><Hangup\/>/,
      ],
      ['connects whoever pressed a key', {}, { kind: 'screened', pressed: true }, /<Response\/>$/],
      ['hangs up if no key was pressed', {}, { kind: 'screened', pressed: false }, /<Response><Hangup\/><\/Response>$/],
      ['takes a message', {}, answer, /<Say>[^<]+<\/Say><Record action="[^"]*step=voicemail"/],
      [
        'takes a message where nobody answers',
        { forwardTo },
        { kind: 'after_dial', reached: false },
        /<Record action="[^"]*step=voicemail"/,
      ],
      ['ends politely if voicemail is off', { voicemail: false }, answer, /<Say>[^<]+<\/Say><Hangup\/>/],
      ['ends after a talk', {}, { kind: 'after_dial', reached: true }, /<Response><Hangup\/><\/Response>$/],
      ['thanks for a message', {}, { kind: 'after_voicemail' }, /Thank you.*<Hangup\/>/],
      ['says that a number is not in service', null, answer, /not in service.*<Hangup\/>/],
    ],
    contentType: 'text/xml; charset=utf-8',
    spoken: (body) => [...body.matchAll(/<Say>([\s\S]*?)<\/Say>/g)].map(([, text = '']) => text),
  };
};

type Deliver = (name: string, where?: Where, changes?: Form) => Delivery;

/** For dialects in which the end of forwarding doesn't say whether the key was pressed. */
export const screenedOccasions = (form: Deliver): ProviderContract['occasions'] => [
  ['a call comes in', form('incoming'), { kind: 'answer' }],
  ['the forwarding is over', form('dialAnswered', { step: 'dialed' }), { kind: 'after_dial', reached: true }],
  ['nobody answered', form('dialNotAnswered', { step: 'dialed' }), { kind: 'after_dial', reached: false }],
  ['a screened leg was short', form('dialAnswered', { step: 'screened' }), { kind: 'after_dial', reached: false }],
  [
    'a screened leg was long',
    form('dialAnswered', { step: 'screened' }, { DialCallDuration: '61' }),
    { kind: 'after_dial', reached: true },
  ],
  ['the dialed person picked up', form('screening', { step: 'screen' }), { kind: 'screen' }],
  ['the key was pressed', form('keyPressed', { step: 'screened' }), { kind: 'screened', pressed: true }],
  [
    'no key was pressed',
    form('keyPressed', { step: 'screened' }, { Digits: '' }),
    { kind: 'screened', pressed: false },
  ],
  ['a message was left', form('messageLeft', { step: 'voicemail' }), { kind: 'after_voicemail' }],
  ['a notice', form('answered'), { kind: 'nothing' }],
  ['a notice at the status URL', form('incoming', { step: 'status' }), { kind: 'nothing' }],
  ['the call has ended', form('completed'), { kind: 'nothing' }],
  [
    'nothing, at the recording URL',
    form('dialAnswered', { route: 'recording', step: 'screened' }),
    { kind: 'nothing' },
  ],
];

export const screenedStories = (form: Deliver): ProviderContract['stories'] => {
  const begin = [form('incoming'), form('answered', { step: 'status' })];
  const end = form('completed', { step: 'status' });
  const screening = form('screening', { step: 'screen' });
  const short = form('dialAnswered', { step: 'screened' }, { DialCallDuration: '12' });
  const untaken = form('dialNotAnswered', { step: 'dialed' });
  return [
    ['the dialed person answered', [...begin, form('dialAnswered', { step: 'dialed' }), end], 'answered'],
    ['they pressed the key', [...begin, screening, form('keyPressed', { step: 'screened' }), short, end], 'answered'],
    [
      'it lasted longer than any screening',
      [...begin, screening, form('dialAnswered', { step: 'screened' }, { DialCallDuration: '300' }), end],
      'answered',
    ],
    ['a machine picked up and pressed nothing', [...begin, screening, short, end], 'missed'],
    [
      'a machine picked up, and an empty key was reported',
      [...begin, screening, form('keyPressed', { step: 'screened' }, { Digits: '' }), short, end],
      'missed',
    ],
    ['nobody answered', [...begin, form('childNotAnswered', { step: 'status' }), untaken, end], 'missed'],
    ['the dialed number was busy', [...begin, form('dialBusy', { step: 'dialed' }), end], 'missed'],
    ['the caller hung up while it rang', [...begin, form('dialCanceled', { step: 'dialed' }), end], 'abandoned'],
    ['a message was left', [...begin, untaken, form('messageLeft', { step: 'voicemail' }), end], 'voicemail'],
    ["it wasn't forwarded", [...begin, end], 'missed'],
  ];
};
