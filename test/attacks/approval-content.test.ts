import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { OPERATOR } from '../harness/oauth-server.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';

const KIB_256 = 256 * 1024;

onOneEngine('what an approval shows', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  test('is the path and the whole query, byte for byte, without our own fields', async () => {
    const { token, headers } = await stage.asking();
    const path = "a%20b/c;d/e%2Ff?q=%F0%9F%98%80&x=1;y=2&&connection=default&z=%2Fa+b&p'=1";
    const id = await stage.park(token, path);
    const shown = await stage.approval(id, headers);
    assert.equal(shown.path, '/a%20b/c;d/e%2Ff');
    assert.equal(shown.query, "q=%F0%9F%98%80&x=1;y=2&z=%2Fa+b&p'=1");
    await stage.approve(id, headers);
    assert.equal(stage.api.received[0]?.url, `/v1${shown.path}?${shown.query}`);
  });

  test('is no text if the provider may read other characters in it', async () => {
    const { token, headers } = await stage.asking();
    const cases: [type: string, body: Buffer | string, encoding: string][] = [
      ['application/json', '{"a":"é"}', 'utf8'],
      ['text/plain; charset=UTF-8', 'é', 'utf8'],
      ['text/plain; charset=utf-16le', Buffer.from('delete', 'utf16le'), 'base64'],
      ['text/plain; charset=utf-7', '+AGQ-elete', 'base64'],
      ['text/plain; Charset="iso-8859-1"', 'plain', 'base64'],
      ['text/plain; charset=utf-8; charset=utf-7', '+AGQ-elete', 'base64'],
      ['text/plain; x="; charset=utf-8"; charset=utf-16le', Buffer.from('delete', 'utf16le'), 'base64'],
      ["text/plain; charset*=us-ascii'en'utf-7", '+AGQ-elete', 'base64'],
      ['text/plain; charset="utf-8"; format=flowed', 'é', 'utf8'],
      ['multipart/form-data; boundary=----a1', 'plain', 'utf8'],
      ['application/vnd.api+json;charset=utf-8', '{}', 'utf8'],
      ['application/octet-stream', Buffer.from([0xff, 0xfe, 0x00]), 'base64'],
    ];
    for (const [type, body, encoding] of cases) {
      const id = await stage.park(token, 'things', { body, headers: { 'content-type': type } });
      const shown = await stage.approval(id, headers);
      assert.equal(shown.body?.encoding, encoding, type);
      assert.deepEqual(Buffer.from(shown.body?.text ?? '', encoding as 'utf8'), Buffer.from(body), type);
      stage.api.reset();
      let arrived: Buffer | undefined;
      stage.api.answer(async (incoming, response) => {
        arrived = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>));
        response.end('{}');
      });
      await stage.approve(id, headers);
      assert.deepEqual(arrived, Buffer.from(body), type);
    }
  });

  test('on its page names what nobody could see, and hides no field of JSON', async () => {
    const { token, admin } = await stage.asking();
    const texts = {
      '{"a":"pay \u202eevil\u2066"}': /pay <mark>U\+202E<\/mark>evil<mark>U\+2066<\/mark>/,
      '{"a":"x\u200by\u3164"}': /x<mark>U\+200B<\/mark>y<mark>U\+3164<\/mark>/,
      '{"amount":1,"amount":1000000}':
        /\{&quot;amount&quot;:1,&quot;amount&quot;:1000000\}|\{"amount":1,"amount":1000000\}/,
      '{"n":12345678901234567890}': /12345678901234567890/,
      '{"a":1,"b":[true]}': /\{\n {2}(?:"|&quot;)a(?:"|&quot;): 1,\n/,
    };
    const { cookie } = await openSession(stage, admin.user);
    for (const [body, expected] of Object.entries(texts)) {
      const id = await stage.park(token, 'things', { body });
      const page = await stage.ask('GET', `/approvals/${id}`, { cookie });
      assert.equal(page.status, 200);
      assert.match(page.body, expected, body);
    }
  });

  test('makes no page that is much longer than the text', async () => {
    const { token, admin } = await stage.asking();
    const { cookie } = await openSession(stage, admin.user);
    const nested = `${'['.repeat(2_400)}${Array(100_000).fill('1').join(',')}${']'.repeat(2_400)}`;
    for (const body of [nested, '\u200b'.repeat(80_000), 'a\u2800'.repeat(60_000)]) {
      const id = await stage.park(token, 'things', { body });
      const page = await stage.ask('GET', `/approvals/${id}`, { cookie });
      assert.equal(page.status, 200);
      assert.ok(page.body.length < 2 * Buffer.byteLength(body) + 50_000, `${page.body.length} characters`);
    }
  });

  test('takes a body of 256 KiB, and not one byte more, nor a compressed one', async () => {
    const { token, headers } = await stage.asking();
    const whole = 'x'.repeat(KIB_256);
    const id = await stage.park(token, 'things', { body: whole });
    await stage.approve(id, headers);
    assert.equal(stage.api.received[0]?.body.length, KIB_256);
    for (const body of [`${whole}x`, 'x'.repeat(2 * 1024 * 1024)]) {
      const answer = await stage.send(token, 'things', { body });
      assert.deepEqual([answer.status, JSON.parse(answer.body).code], [413, 'approvals.body_too_large']);
    }
    for (const encoding of ['gzip', 'identity', 'br, gzip']) {
      const answer = await stage.send(token, 'things', { headers: { 'content-encoding': encoding } });
      assert.deepEqual([answer.status, JSON.parse(answer.body).code], [415, 'approvals.encoding_refused'], encoding);
    }
    assert.equal((await stage.ask('GET', '/api/approvals', token)).json.approvals.length, 1);
  });

  test('leaves out the credential, in the database, too', async () => {
    const { token, headers, at } = await stage.asking();
    const secret = await at.token('acme-full');
    const id = await stage.park(token, 'things?canary=in-the-query', { body: 'canary-in-the-body' });
    assert.ok(!JSON.stringify(await stage.approval(id, headers)).includes(secret));
    await stage.approve(id, headers);
    const row = await stage.app.database.get(
      'select * from approvals a join approval_contents c on c.approval_id = a.id where a.id = $1',
      [id],
    );
    assert.ok(row);
    const stored = JSON.stringify(row);
    for (const text of [secret, 'canary', '{"ok":true}', '/things']) assert.ok(!stored.includes(text), text);
  });
});

onOneEngine('approvals that wait', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));

  test('are 20 for each token, however many are sent at once', async () => {
    const { token, headers } = await stage.asking();
    const answers = await Promise.all(Array.from({ length: 30 }, () => stage.send(token)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(20).fill(409), ...Array(10).fill(429)]);
    const refused = answers.find(({ status }) => status === 429);
    assert.equal(JSON.parse(refused?.body ?? '{}').code, 'approvals.too_many');
    assert.ok(refused?.headers['retry-after']);
    const { approvals } = (await stage.ask('GET', '/api/approvals?state=waiting', headers)).json;
    assert.equal(approvals.length, 20);
    await stage.refuse(approvals[0].id, headers);
    assert.equal((await stage.send(token)).status, 409);
    stage.clock.advance(600_000);
    assert.equal((await stage.send(token)).status, 409, 'What has expired makes room.');
    assert.equal((await stage.ask('GET', '/api/approvals?state=waiting', headers)).json.approvals.length, 1);
  });
});

const KEY = 'subscription-key-0123456789';

onOneEngine('an approval at a provider that wants secrets of the OAuth app with every call', (engine) => {
  const stage = useStage(() =>
    openApprovalsStage(
      engine,
      { OAUTH_ACME_FULL_KEY: KEY },
      {
        api: {
          headers: {
            ...{ 'X-Api-Key': '{client_id}:{client_secret}', 'X-Subscription': '{key}', 'X-Version': '1' },
            'X-Token': '{access_token}',
          },
        },
        clientFields: { key: { label: 'Key', about: 'In the console.' } },
      },
    ),
  );

  test('sends them and shows them to nobody', async () => {
    const { at, token, headers, admin } = await stage.asking();
    const id = await stage.park(token);
    const shown = await stage.approval(id, headers);
    const names = shown.headers?.map(({ name }) => name.toLowerCase()) ?? [];
    assert.ok(names.includes('x-version'));
    assert.deepEqual(
      names.filter((name) => ['x-api-key', 'x-subscription', 'x-token', 'authorization'].includes(name)),
      [],
    );
    const { cookie } = await openSession(stage, admin.user);
    const page = await stage.ask('GET', `/approvals/${id}`, { cookie });
    await stage.approve(id, headers);
    const sent = stage.api.received[0]?.headers ?? {};
    assert.equal(sent['x-api-key'], `${OPERATOR.id}:${OPERATOR.secret}`);
    assert.equal(sent['x-subscription'], KEY);
    const accessToken = await at.token('acme-full');
    assert.equal(sent['x-token'], accessToken);
    const answer = await stage.respond(id, headers);
    const all = [JSON.stringify(shown), page.body, answer.body, JSON.stringify(answer.headers)].join('\n');
    for (const secret of [OPERATOR.secret, KEY, accessToken]) assert.ok(!all.includes(secret), secret);
  });
});
