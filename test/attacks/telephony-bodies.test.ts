import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { expectProblem } from '../harness/problem.ts';
import { exchangeBytes, listenOnLoopback, printRequest } from '../harness/raw-http.ts';
import {
  type Fields,
  FORM_TYPE,
  JSON_TYPE,
  type Line,
  openLine,
  printBody,
  SENDERS,
  send,
  senderOf,
} from '../harness/telephony-senders.ts';
import { openTelephonyStage, RECORDING, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const LIMIT = 256 * 1024;
const bytes = (...parts: (string | number[])[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));
const deep = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
const form = (fields: Fields): string => printBody(FORM_TYPE, fields);
const CALL = { AccountSid: `AC${'0'.repeat(32)}`, CallSid: `CA${'0'.repeat(32)}`, CallStatus: 'ringing' };
const EVENT = `"eventType":"initiate","accountId":"1","callId":"c-1"`;

type Body = { type?: string | null; body: string | Buffer; headers?: [string, string][]; status?: number[] };

/** Sent by someone who can't sign anything. */
const UNSIGNED: Record<string, Body> = {
  nothing: { body: '' },
  'one byte': { body: 'a' },
  'a form of exactly the limit': { body: `${form(CALL)}&a=`.padEnd(LIMIT, 'x') },
  'a byte more than the limit': { body: `${form(CALL)}&a=`.padEnd(LIMIT + 1, 'x'), status: [413] },
  'twenty times the limit': { body: Buffer.alloc(20 * LIMIT, 'x'), status: [413] },
  'bytes that are not UTF-8': { body: bytes(form(CALL), '&CallerName=', [0xff, 0xfe, 0xc0, 0x80]) },
  'a NUL': { body: bytes(form(CALL), '&CallerName=', [0]) },
  'a NUL as a code': { body: `${form(CALL)}&CallerName=%00` },
  'half a surrogate pair': { body: `${form(CALL)}&CallerName=%ED%A0%80` },
  'codes that are none': { body: `${form(CALL)}&CallerName=%ZZ%&%` },
  'a byte order mark': { body: bytes([0xef, 0xbb, 0xbf], form(CALL)) },
  'ten thousand params': {
    body: `${form(CALL)}&${Array.from({ length: 10_000 }, (_, index) => `p${index}=`).join('&')}`,
  },
  'an id twice': { body: `${form(CALL)}&CallSid=CA${'1'.repeat(32)}` },
  'names of objects': { body: `${form(CALL)}&__proto__=1&constructor=1&toString=1&a[b]=1&a[]=2` },
  'a form in parts': { type: 'multipart/form-data; boundary=b', body: '--b\r\n\r\n--b--' },
  'a form that is called UTF-16': {
    type: `${FORM_TYPE}; charset=utf-16`,
    body: Buffer.from(form(CALL), 'utf16le'),
  },
  'a gzip': { body: gzipSync(form(CALL)), headers: [['Content-Encoding', 'gzip']] },
  'no type': { type: null, body: form(CALL) },
  'a type that is none': { type: ';;;', body: form(CALL), status: [400, 403, 415] },
  'half an object': { type: JSON_TYPE, body: `{${EVENT}` },
  'a hundred thousand lists': { type: JSON_TYPE, body: `{${EVENT},"tag":${deep(100_000)}}`, status: [401] },
  'a prototype': { type: JSON_TYPE, body: `{${EVENT},"__proto__":{"callId":"c-2"}}`, status: [401] },
  'the same name twice': { type: JSON_TYPE, body: `{${EVENT},"callId":"c-2"}`, status: [401] },
  'numbers beyond all numbers': { type: JSON_TYPE, body: `{${EVENT},"a":1e400,"b":${'9'.repeat(999)}}`, status: [401] },
  'an object with a byte order mark': {
    type: JSON_TYPE,
    body: bytes([0xef, 0xbb, 0xbf], `{${EVENT}}`),
    status: [401, 403],
  },
  'an object in UTF-16': {
    type: 'application/json; charset=utf-16',
    body: Buffer.from(`{${EVENT}}`, 'utf16le'),
    status: [401, 403],
  },
  'a list': { type: JSON_TYPE, body: `[{${EVENT}}]` },
  null: { type: JSON_TYPE, body: 'null' },
};

onOneEngine('a delivery’s body that nobody signed', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  let port: number;
  before(async () => {
    port = await listenOnLoopback(stage.server);
  });

  const countAll = async (): Promise<number[]> => {
    await stage.app.telephony.settle();
    return Promise.all(
      ['deliveries', 'calls', 'call_events', 'recordings', 'held_deliveries'].map(async (table) =>
        Number((await stage.app.database.get<{ n: number }>(`select count(*) as n from ${table}`))?.n),
      ),
    );
  };

  const exchange = async (target: string, { type = FORM_TYPE, body, headers = [] }: Body) => {
    const all: [string, string][] = [['Host', 'localhost:3000'], ...headers];
    if (type !== null) all.push(['Content-Type', type]);
    const [answer, ...more] = await exchangeBytes(port, printRequest(target, { method: 'POST', headers: all, body }));
    assert.ok(answer, 'There was no answer.');
    assert.deepEqual(more, [], 'One request has one answer.');
    return answer;
  };

  for (const [what, { status = [403], ...sent }] of Object.entries(UNSIGNED)) {
    test(`is refused, and nothing of it is kept: ${what}`, async () => {
      const before = await countAll();
      for (const target of [VOICE, RECORDING]) expectProblem(await exchange(target, sent), status, what);
      assert.deepEqual(await countAll(), before);
    });
  }

  test('and never ends is cut off at the limit', async () => {
    const before = await countAll();
    const head = printRequest(VOICE, {
      method: 'POST',
      headers: [
        ['Host', 'localhost:3000'],
        ['Content-Type', FORM_TYPE],
        ['Transfer-Encoding', 'chunked'],
      ],
    });
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const [answer] = await exchangeBytes(port, Buffer.concat([head, Buffer.from(chunk.repeat(6))]));
    assert.ok(answer, 'There was no answer.');
    expectProblem(answer, 413, 'chunks without an end');
    assert.deepEqual(await countAll(), before);
  });
});

onEachEngine('a delivery’s body', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  /** Adds to the ringing notice, signs it and sends it. Returns what became of it. */
  const tell = async (line: Line, change: (body: string) => string | Buffer, type: string = line.sender.type) => {
    const request = line.print(line.sender.rings(line.accountId, line.sender.newCallId()));
    const answer = await send(stage, line.sign({ ...request, type, body: change(String(request.body)) }));
    return { status: answer.statusCode, body: answer.body, states: await line.states() };
  };

  const ODD_FORMS: Record<string, (body: string) => string> = {
    'names of objects': (body) => `${body}&constructor=a&toString=b&valueOf=c&hasOwnProperty=d`,
    'a NUL in the name of the caller': (body) => `${body}&CallerName=a%00b`,
    'bytes that are not UTF-8': (body) => `${body}&CallerName=%FF%FE`,
    'half a surrogate pair': (body) => `${body}&CallerName=%ED%A0%80`,
    'a name in every direction': (body) => `${body}&CallerName=${encodeURIComponent('\u202e😀é\u0301')}`,
    'empty values': (body) => `${body}&FromCity=&FromState=&CallerName=`,
    'a hundred unknown params': (body) =>
      `${body}&${Array.from({ length: 100 }, (_, index) => `SipHeader_X-${index}=${index}`).join('&')}`,
    'a name as long as the limit allows': (body) => `${body}&CallerName=`.padEnd(LIMIT, 'x'),
  };

  describe('that is signed, odd and valid', () => {
    for (const sender of SENDERS.filter(({ type }) => type === FORM_TYPE))
      for (const [what, change] of Object.entries(ODD_FORMS))
        test(`is kept and processed for ${sender.provider}: ${what}`, async () => {
          const line = await openLine(stage, sender);
          const { status, body } = await tell(line, change);
          assert.equal(status, 200, body);
          // On a busy machine, the sender isn't kept waiting until then.
          await waitUntil('it is processed', async () => `${await line.states()}` === 'processed');
          assert.equal((await line.calls()).length, 1);
        });

    const addJson =
      (text: string) =>
      (body: string): string =>
        body.replace(/\}$/, `,${text}}`);
    const ODD_JSON: Record<string, (body: string) => string> = {
      'names of objects': addJson('"constructor":"a","toString":{"b":1}'),
      'a prototype': addJson('"__proto__":{"from":"+15559990001"}'),
      'a NUL, escaped': addJson('"tag":"a\\u0000b"'),
      'half a surrogate pair, escaped': addJson('"tag":"\\ud800"'),
      'numbers beyond all numbers': addJson(`"a":1e400,"b":-1e400,"c":${'9'.repeat(999)}`),
      'fifty thousand lists in lists': addJson(`"tag":${deep(50_000)}`),
      'as long as the limit allows': (body) => {
        const open = addJson('"tag":"')(body).replace(/\}$/, '');
        return `${open.padEnd(LIMIT - 2, 'x')}"}`;
      },
    };
    for (const sender of SENDERS.filter(({ type }) => type === JSON_TYPE))
      for (const [what, change] of Object.entries(ODD_JSON))
        test(`is kept and processed for ${sender.provider}: ${what}`, async () => {
          const line = await openLine(stage, sender);
          const { status, states, body } = await tell(line, change);
          assert.equal(status, 200, body);
          assert.deepEqual(states, ['processed']);
          const [call] = await line.calls();
          assert.equal(call.from, '+15551230001');
        });
  });

  /** What cannot be stored as it is, where the database would see it. */
  const NUL = 'a\u0000b';
  /** Too long for an index, and nothing that could be packed. */
  const LONG = Array.from({ length: 80 }, (_, index) => hash('sha256', String(index), 'hex')).join('');
  const inField =
    (name: string, value: string) =>
    (fields: Fields): Fields => ({ ...fields, [name]: value });

  type Odd = { provider: string; told: 'rings' | 'ends' | 'recorded'; fields: (fields: Fields) => Fields };
  const HARD: Record<string, Odd> = {
    'a NUL in the source of a recording': {
      provider: 'twilio',
      told: 'recorded',
      fields: inField('RecordingSource', NUL),
    },
    'a NUL in the error of a recording': {
      provider: 'signalwire',
      told: 'recorded',
      fields: inField('ErrorCode', NUL),
    },
    'a NUL in the caller': { provider: 'twilio', told: 'rings', fields: inField('From', NUL) },
    'a NUL in the address of a recording': {
      provider: 'telnyx',
      told: 'recorded',
      fields: inField('RecordingUrl', NUL),
    },
    "a NUL in a dialled person's number": {
      provider: 'plivo',
      told: 'ends',
      fields: (fields) => ({ ...fields, DialAction: 'hangup', DialBLegUUID: '', DialBLegTo: NUL }),
    },
    "a dialled person's number of five thousand digits": {
      provider: 'plivo',
      told: 'ends',
      fields: (fields) => ({ ...fields, DialAction: 'hangup', DialBLegUUID: '', DialBLegTo: LONG }),
    },
    'a NUL in the id of a call of Vonage': {
      provider: 'vonage',
      told: 'ends',
      fields: inField('conversation_uuid', NUL),
    },
    'an id of a call of five thousand letters': {
      provider: 'vonage',
      told: 'ends',
      fields: inField('conversation_uuid', LONG),
    },
    'a NUL in a status': { provider: 'vonage', told: 'ends', fields: inField('status', NUL) },
    'a NUL in a time': { provider: 'vonage', told: 'ends', fields: inField('timestamp', NUL) },
    'a NUL in the id of a recording': { provider: 'vonage', told: 'recorded', fields: inField('recording_uuid', NUL) },
    'a NUL in the time of an event': { provider: 'bandwidth', told: 'ends', fields: inField('eventTime', NUL) },
    'a time of an event of five thousand letters': {
      provider: 'bandwidth',
      told: 'ends',
      fields: inField('eventTime', LONG),
    },
    'a NUL in a cause': { provider: 'bandwidth', told: 'ends', fields: inField('cause', NUL) },
    'a NUL in the status of a recording': { provider: 'bandwidth', told: 'recorded', fields: inField('status', NUL) },
  };

  describe('that is signed and contains what a database cannot store', () => {
    for (const [what, { provider, told, fields }] of Object.entries(HARD))
      test(`is refused, or kept and processed, and never lost on the way: ${what}`, async () => {
        const sender = senderOf(provider);
        const line = await openLine(stage, sender);
        const recordingId = sender.newCallId().replace(/^CA/, 'RE');
        const said = sender[told](line.accountId, sender.newCallId(), recordingId);
        const answer = await send(stage, line.honest({ ...said, fields: fields(said.fields) }));
        assert.ok(answer.statusCode < 500, answer.body);
        const states = await line.states();
        assert.deepEqual(states, answer.statusCode < 300 ? ['processed'] : []);
      });

    const eventOf = (payload: object, id: unknown) =>
      JSON.stringify({
        data: { event_type: 'call.initiated', id, occurred_at: '2026-11-15T12:00:00Z', payload },
      });
    const EVENTS: Record<string, string> = {
      'a NUL in the id': eventOf({ call_session_id: 's-1', direction: 'incoming', from: 'a', to: 'b' }, NUL),
      'a NUL in the call': eventOf({ call_session_id: NUL, direction: 'incoming', from: 'a', to: 'b' }, 'e-1'),
      'a call of five thousand letters': eventOf({ call_session_id: LONG }, 'e-1'),
      'fifty thousand lists and no id': eventOf({ call_session_id: 's-1', tag: 'DEEP' }, null).replace(
        '"DEEP"',
        deep(50_000),
      ),
    };
    for (const [what, body] of Object.entries(EVENTS))
      test(`is refused, or kept and processed, and never lost on the way: a Telnyx event with ${what}`, async () => {
        const line = await openLine(stage, senderOf('telnyx'));
        const target = line.targetOf({ route: 'voice' });
        const answer = await send(stage, line.sign({ method: 'POST', target, type: JSON_TYPE, body }));
        assert.ok(answer.statusCode < 500, answer.body);
        assert.deepEqual(await line.states(), answer.statusCode < 300 ? ['processed'] : []);
      });

    test('does not hold up what arrives with it', async () => {
      const line = await openLine(stage, senderOf('twilio'));
      const { sender, accountId } = line;
      const bad = sender.recorded(accountId, sender.newCallId(), sender.newCallId().replace(/^CA/, 'RE'));
      const good = Array.from({ length: 20 }, () => line.honest(sender.rings(accountId, sender.newCallId())));
      const spoiled = line.honest({ ...bad, fields: { ...bad.fields, RecordingSource: NUL } });
      await Promise.all([...good.slice(0, 10), spoiled, ...good.slice(10)].map((sent) => send(stage, sent)));
      const states = await line.states();
      assert.equal(states.filter((state) => state === 'processed').length >= 20, true, states.join());
      assert.ok(!states.includes('received'));
      assert.ok((await line.calls()).length >= 20);
    });
  });
});
