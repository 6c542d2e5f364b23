import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createLog, type Engine } from '../../src/platform/index.ts';
import { SECRETS } from '../harness/app.ts';
import { type Canaries, dumpPostgresql, findCanaries, makeCanary, readFiles } from '../harness/canaries.ts';
import { onOneEngine } from '../harness/databases.ts';
import {
  type Fields,
  type Key,
  openLine,
  SENDERS,
  type Sender,
  type Sent,
  send,
} from '../harness/telephony-senders.ts';
import { OUR_NUMBER, openTelephonyStage, type TelephonyStage } from '../harness/telephony-stage.ts';

/** Appears wherever anything is written, which proves that the search works. */
const CONTROL = 'said-on-purpose';

const newDigits = (): string =>
  `49${BigInt(`0x${randomBytes(6).toString('hex')}`)
    .toString()
    .padStart(15, '1')
    .slice(-12)}`;

/** What a test plants, and where it is sent: by provider, in the provider's own terms. */
const nameFields = (provider: string, name: string): Fields =>
  provider === 'vonage' ? { from_user_name: name } : provider === 'bandwidth' ? { tag: name } : { CallerName: name };

const mediaFields: Record<string, (address: string) => Fields> = {
  twilio: (address) => ({ RecordingUrl: address }),
  signalwire: (address) => ({ RecordingUrl: address }),
  telnyx: (address) => ({ RecordingUrl: address }),
  plivo: (address) => ({ RecordUrl: address }),
  vonage: (address) => ({ recording_url: address }),
  bandwidth: (address) => ({ mediaUrl: address }),
};

/** What is reported about a dialed person who didn't answer. */
const legFields: Record<string, (number: string) => Fields> = {
  twilio: (number) => ({ DialCallStatus: 'no-answer', Called: `+${number}`, ForwardedFrom: `+${number}` }),
  signalwire: (number) => ({ DialCallStatus: 'no-answer', Called: `+${number}` }),
  telnyx: (number) => ({ DialCallStatus: 'no-answer', Called: `+${number}` }),
  plivo: (number) => ({ DialAction: 'hangup', DialBLegUUID: '', DialBLegTo: number, DialBLegHangupCause: 'NO_ANSWER' }),
  vonage: (number) => ({
    status: 'unanswered',
    direction: 'outbound',
    to: number,
    uuid: randomBytes(16).toString('hex'),
  }),
  bandwidth: (number) => ({ eventType: 'transferComplete', cause: 'timeout', transferTo: `+${number}` }),
};

/** A secret that its provider's rules accept. */
const keyWith = (sender: Sender, secret: string): Key => {
  if (sender.provider === 'telnyx') return sender.newKey();
  const made = sender.newKey();
  if (sender.provider !== 'bandwidth') return made;
  return {
    secret: `patchbay:${secret}`,
    prove: () => ({ authorization: `Basic ${Buffer.from(`patchbay:${secret}`).toString('base64')}` }),
  };
};

const API: Record<string, (secret: string) => Record<string, string>> = {
  twilio: (secret) => ({ keySid: `SK${'0'.repeat(32)}`, keySecret: secret }),
  signalwire: (secret) => ({ space: 'example', token: secret }),
  telnyx: (secret) => ({ key: `KEY${secret}` }),
  bandwidth: (secret) => ({ clientId: 'api', clientSecret: secret }),
};

type Heard = Record<string, string | Buffer>;

const openStory = async (engine: Engine) => {
  const lines: string[] = [];
  // Known secrets aren't redacted here: this tests what the rooms write, not the safety net below them.
  const log = createLog({
    level: 'debug',
    secrets: [],
    shapes: [],
    destination: { write: (line) => lines.push(line) },
  });
  const stage = await openTelephonyStage(engine, { log });
  const answers: Heard = {};
  const numbersShown: Heard = {};
  const canaries: Record<'secrets' | 'callers' | 'names' | 'addresses' | 'colleagues' | 'legs', Canaries> = {
    ...{ secrets: {}, callers: {}, names: {}, addresses: {}, colleagues: {}, legs: {} },
  };
  const plant = (kind: keyof typeof canaries, what: string, canary: string): string => {
    canaries[kind][what] = canary;
    return canary;
  };

  const ask = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    headers: Record<string, string>,
    { payload, showsNumbers = false }: { payload?: object; showsNumbers?: boolean } = {},
  ) => {
    const answer = await stage.server.inject({ method, url, headers, ...(payload ? { payload } : {}) });
    assert.ok(answer.statusCode < 500, `${url}: ${answer.body}`);
    const kept = showsNumbers ? numbersShown : answers;
    kept[`answer ${Object.keys(answers).length} (${method} ${url})`] =
      `${JSON.stringify(answer.headers)}\n${answer.body}`;
    return answer;
  };
  const deliver = async (sent: Sent) => {
    const answer = await send(stage, sent);
    assert.ok(answer.statusCode < 500, answer.body);
    const text = `${JSON.stringify(answer.headers)}\n${answer.body}`;
    // The reply says which numbers to ring.
    numbersShown[`answer ${Object.keys(numbersShown).length} (${sent.target})`] = text;
    return answer;
  };

  const tell = async (sender: Sender): Promise<void> => {
    const { provider } = sender;
    const colleague = plant('colleagues', `colleague of ${provider}`, newDigits());
    const leg = plant('legs', `leg of ${provider}`, newDigits());
    const caller = plant('callers', `caller of ${provider}`, newDigits());
    const stranger = plant('callers', `stranger to ${provider}`, newDigits());
    const name = plant('names', `name at ${provider}`, `Canary ${randomBytes(12).toString('hex')}`);
    const media = plant('addresses', `recording of ${provider}`, makeCanary());
    const line = await openLine(stage, sender, {
      key: keyWith(sender, makeCanary()),
      answer: { greeting: CONTROL, forwardTo: [`+${colleague}`] },
    });
    const { account, accountId, team, key } = line;
    plant('secrets', `secret of ${provider}`, key.secret.replace(/^patchbay:/, ''));
    const { headers } = team.admin;
    const url = `/api/telephony/accounts/${account.id}`;
    const api = API[provider];
    if (api) {
      const payload = { api: api(plant('secrets', `api of ${provider}`, makeCanary())) };
      assert.equal((await ask('PATCH', url, headers, { payload })).statusCode, 200);
    }
    const rotated = sender.newKey();
    plant('secrets', `second secret of ${provider}`, rotated.secret.replace(/^patchbay:/, ''));
    assert.equal((await ask('PATCH', url, headers, { payload: { addSecret: rotated.secret } })).statusCode, 200);
    const refused = plant('secrets', `a secret that ${provider} has not`, `${makeCanary()} ${makeCanary()}`);
    const bad = await ask('PATCH', url, headers, { payload: { addSecret: refused, api: { nothing: refused } } });
    assert.equal(bad.statusCode, 400, bad.body);

    const from = (fields: Fields, number: string): Fields =>
      Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, value.replace('15551230001', number)]));
    const callId = sender.newCallId();
    const recordingId = provider === 'twilio' ? `RE${randomBytes(16).toString('hex')}` : sender.newCallId();
    const ring = sender.rings(accountId, callId);
    const rings = { ...ring, fields: { ...from(ring.fields, caller), ...nameFields(provider, name) } };
    const end = sender.ends(accountId, callId);
    const recorded = sender.recorded(accountId, callId, recordingId);
    const address = `https://media.example/${media}`;
    const said = [
      rings,
      {
        route: 'voice' as const,
        step: provider === 'plivo' ? 'status' : 'dialed',
        fields: { ...rings.fields, ...legFields[provider]?.(leg) },
      },
      { ...end, fields: from(end.fields, caller) },
      { ...recorded, fields: { ...from(recorded.fields, caller), ...mediaFields[provider]?.(address) } },
    ];
    for (const told of said) {
      const taken = await deliver(line.honest(told));
      assert.ok(taken.statusCode < 300, `${provider}: ${JSON.stringify(told.fields)} ${taken.body}`);
    }
    await deliver(line.sign(line.print({ ...ring, fields: from(ring.fields, stranger) }), {}, sender.newKey()));
    const missed = (await line.calls())[0];
    assert.ok(missed.from.endsWith(caller), `${provider}: ${JSON.stringify(missed)}`);

    const spare = await openLine(stage, sender, { team, mode: 'observe', key: sender.newKey() });
    plant('secrets', `observed secret of ${provider}`, spare.key.secret.replace(/^patchbay:/, ''));
    const late = sender.newKey();
    plant('secrets', `late secret of ${provider}`, late.secret.replace(/^patchbay:/, ''));
    const held = {
      ...ring,
      fields: {
        ...from(sender.rings(spare.accountId, sender.newCallId()).fields, stranger),
        ...nameFields(provider, name),
      },
    };
    await deliver(spare.sign(spare.print(held), {}, late));
    await deliver(spare.sign(spare.print(held), {}, sender.newKey()));
    const spareUrl = `/api/telephony/accounts/${spare.account.id}`;
    await ask('PATCH', spareUrl, headers, { payload: { addSecret: late.secret } });
    const released = await ask('POST', `${spareUrl}/release`, headers);
    assert.equal(released.json().released, 1, `${provider}: ${released.body}`);
    await stage.app.telephony.settle();

    await ask('GET', '/api/telephony/accounts', headers);
    await ask('GET', url, headers);
    await ask('PATCH', `/api/telephony/numbers/${line.number.id}`, headers, {
      payload: { label: CONTROL },
      showsNumbers: true,
    });
    await ask('GET', '/api/telephony/numbers', headers, { showsNumbers: true });
    await ask('GET', '/api/calls', headers, { showsNumbers: true });
    await ask('GET', `/api/calls/${missed.id}`, headers, { showsNumbers: true });
    await ask('GET', '/api/calls', { ...headers, accept: 'text/csv' }, { showsNumbers: true });
    await ask('POST', `/api/calls/${missed.id}/returned`, headers, { showsNumbers: true });
    await ask('GET', '/api/audit', headers);
  };

  for (const sender of SENDERS) await tell(sender);
  await ask('GET', '/api/debug/db', { authorization: `Bearer ${SECRETS.DEBUG_TOKEN}` });
  await ask('GET', '/metrics', { authorization: `Bearer ${SECRETS.METRICS_TOKEN}` });
  await stage.app.telephony.settle();
  const databaseUrl = stage.app.config.databaseUrl?.reveal();
  const stored: Heard = {
    ...readFiles(stage.app.config.data),
    ...(databaseUrl ? await dumpPostgresql(databaseUrl) : {}),
  };
  return { stage, canaries, answers, numbersShown, stored, log: { log: lines.join('\n') } };
};

onOneEngine('what telephony knows', (engine) => {
  let story: Awaited<ReturnType<typeof openStory>>;
  let stage: TelephonyStage;
  before(async () => {
    story = await openStory(engine);
    ({ stage } = story);
  });
  after(() => stage?.close());

  test('is searched wherever it could be: what is shown on purpose is found', () => {
    const places = { ...story.answers, ...story.numbersShown, ...story.stored };
    const found = findCanaries({ control: CONTROL }, places).join('\n');
    assert.match(found, /answer/);
    assert.match(found, engine === 'sqlite' ? /patchbay\.db(?:-wal)?$/m : /telephony_numbers$/m);
    assert.notDeepEqual(findCanaries({ control: '/api/webhooks/telephony/voice' }, story.log), []);
    const shown = findCanaries(story.canaries.callers, story.numbersShown);
    assert.ok(shown.length >= SENDERS.length, 'Callers are shown to the team.');
    assert.notDeepEqual(findCanaries(story.canaries.names, story.numbersShown), [], 'So are the names that were sent.');
  });

  test('about secrets is in no response, log line or stored byte', () => {
    assert.ok(Object.keys(story.canaries.secrets).length >= 6 * SENDERS.length - 2);
    assert.deepEqual(
      findCanaries(story.canaries.secrets, { ...story.answers, ...story.numbersShown, ...story.stored, ...story.log }),
      [],
    );
  });

  describe('about people', () => {
    for (const [kind, what] of [
      ['callers', "of callers' numbers"],
      ['names', 'of their names'],
      ['colleagues', 'of the numbers that are to be rung'],
      ['legs', 'of the numbers that were rung'],
    ] as const)
      test(`is sealed wherever it is stored, and in no log line: ${what}`, () => {
        assert.deepEqual(findCanaries(story.canaries[kind], { ...story.stored, ...story.log }), []);
      });

    test('such as their numbers and names is in no response about accounts, the audit log or the service', () => {
      const { callers, names, colleagues, legs } = story.canaries;
      assert.deepEqual(findCanaries({ ...callers, ...names, ...colleagues, ...legs }, story.answers), []);
    });

    test('such as their own number is masked in the audit log, yet recognizable', async () => {
      const audit = Object.entries(story.answers).filter(([place]) => place.includes('/api/audit'));
      assert.equal(audit.length, SENDERS.length);
      for (const [place, text] of audit) {
        assert.ok(!text.includes(OUR_NUMBER.slice(1)), place);
        assert.match(String(text), /"number":"…99"/, place);
      }
      assert.deepEqual(findCanaries({ number: OUR_NUMBER.slice(1) }, { ...story.stored, ...story.log }), []);
    });
  });

  test('such as the addresses of recordings is sealed, and in no response, job or log line', () => {
    assert.deepEqual(
      findCanaries(story.canaries.addresses, {
        ...story.answers,
        ...story.numbersShown,
        ...story.stored,
        ...story.log,
      }),
      [],
    );
  });

  test('is sealed per team: the same row under another team does not open', async () => {
    const { database, vault } = stage.app;
    const [row, other] = await database.all<{ id: string; teamId: string; secrets: string }>(
      `select id, team_id as "teamId", secrets from telephony_accounts where removed_at is null order by id limit 2`,
    );
    const foreign = await database.get<{ id: string }>('select id from teams where id <> $1', [row?.teamId ?? '']);
    assert.ok(row && other && foreign);
    const place = (id: string) => ({ record: `telephony_accounts/${id}`, field: 'secrets' });
    assert.match((await vault.open(row.teamId, place(row.id), row.secrets)).reveal(), /"value"/);
    await assert.rejects(vault.open(foreign.id, place(row.id), row.secrets));
    await assert.rejects(vault.open(row.teamId, place(other.id), row.secrets));
  });
});
