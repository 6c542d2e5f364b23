import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { findCanaries } from '../harness/canaries.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { problemIn } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const DAY_MS = 24 * 3_600_000;
const MEBIBYTE = 1024 * 1024;

describe('a hostile provider that gets a key', () => {
  const stage = useStage(() => openKeysStage('sqlite'));
  afterEach(async () => {
    stage.mend();
    await stage.removeConnections();
  });

  test('and returns it as the account leaves no trace of it', async () => {
    const { admin } = await stage.newTeam();
    const key = stage.newKey();
    const pair = { username: 'ada', password: stage.newKey() };
    const shown: Record<string, string> = {};
    const pairs = Buffer.from(`ada:${pair.password}`).toString('base64');
    const cases: [string, object, string[]][] = [
      ['keyed-query', { api_key: key }, [key, `Hello ${key}!`, encodeURIComponent(key)]],
      ['keyed-bearer', { api_key: key }, [`Bearer ${key}`]],
      ['keyed-basic', pair, [pair.password, pairs, `Basic ${pairs}`]],
    ];
    for (const [provider, fields, texts] of cases)
      for (const [index, text] of texts.entries()) {
        stage.api.answer((_, response) => response.end(JSON.stringify({ id: text, email: text })));
        const reply = await stage.put(admin.headers, provider, { fields });
        assert.equal(reply.status, 200, reply.body);
        shown[`${provider} ${index}`] = reply.body;
      }
    for (const status of [400, 401, 500]) {
      stage.api.answer((incoming, response) =>
        response
          .writeHead(status, { location: incoming.url ?? '' })
          .end(JSON.stringify({ error: key, url: incoming.url })),
      );
      shown[`refused ${status}`] = (await stage.put(admin.headers, 'keyed-query', { fields: { api_key: key } })).body;
    }
    stage.clock.advance(DAY_MS);
    await stage.app.integrations.verifyDue();
    shown['status'] = (await stage.ask('GET', '/api/integrations/status', admin.headers)).body;
    shown['audit'] = await stage.auditOf(admin.headers);
    shown['log'] = inspect(stage.lines, { depth: 20 });
    shown['rows'] = JSON.stringify(await stage.app.database.all('select * from connections', []));
    shown['jobs'] = JSON.stringify(await stage.app.database.all('select * from jobs', []));
    assert.deepEqual(findCanaries({ key, password: pair.password }, shown), []);
  });

  test("is told apart from one whose account's name has our own words in it", async () => {
    const { admin, at } = await stage.newTeam();
    stage.api.answer((_, response) => response.end(JSON.stringify({ id: 'application/json', email: 'Patchbay Inc.' })));
    const reply = await stage.put(admin.headers, 'keyed-bearer', { fields: { api_key: stage.newKey() } });
    assert.equal(reply.status, 200, reply.body);
    assert.deepEqual((await at.status('keyed-bearer')).account, { id: 'application/json', label: 'Patchbay Inc.' });
  });

  test('and redirects is not followed, and has not confirmed it', async () => {
    const { admin, at } = await stage.newTeam();
    stage.api.answer(async (incoming, response) => {
      await stage.api.note(incoming);
      response.writeHead(307, { location: `${stage.api.url}/v1/elsewhere` }).end();
    });
    const reply = await stage.put(admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    assert.deepEqual([reply.status, problemIn(reply)], [422, 'integrations.key_refused']);
    assert.equal(stage.api.received.length, 1);
    assert.equal((await at.status('keyed')).status, 'disconnected');
  });

  test('and answers with a status that does not exist has not confirmed it', async () => {
    const { admin, at } = await stage.newTeam();
    stage.api.answer((_, response) => response.socket?.end('HTTP/1.1 099 Fine\r\nContent-Length: 0\r\n\r\n'));
    const reply = await stage.put(admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    assert.deepEqual([reply.status, problemIn(reply)], [422, 'integrations.key_refused']);
    assert.equal((await at.status('keyed')).status, 'disconnected');
  });

  test('and answers with megabytes, announced or not, is cut off', async () => {
    const { admin, at } = await stage.newTeam();
    for (const announced of [true, false]) {
      stage.api.answer((_, response) => {
        response.on('error', () => undefined);
        if (announced) response.setHeader('content-length', 10 * MEBIBYTE);
        response.write(`{"id":"${'x'.repeat(MEBIBYTE)}`);
        for (let sent = 1; sent < 10; sent++) response.write('x'.repeat(MEBIBYTE));
      });
      const reply = await stage.put(admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
      assert.deepEqual([reply.status, problemIn(reply)], [503, 'integrations.provider_unavailable']);
    }
    assert.equal((await at.status('keyed')).status, 'disconnected');
  });

  test('and answers with nonsense is connected to nobody in particular', async () => {
    const { admin, at } = await stage.newTeam();
    for (const body of ['', '<html>', '[1,2', '{"id":{"a":1}}', '{"id":"\\u202e\\u0000"}', '"text"', 'null']) {
      stage.api.answer((_, response) => response.end(body));
      await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
      assert.deepEqual((await at.status('keyed')).account, { id: null, label: null }, body);
    }
  });

  test('and never answers holds up neither other members nor the daily verification of others', async () => {
    const [slow, quick] = [await stage.newTeam(), await stage.newTeam()];
    for (let index = 0; index < 5; index++)
      await stage.connectKey(slow.admin.headers, 'keyed', {
        fields: { api_key: stage.newKey() },
        connection: `n${index}`,
      });
    const key = stage.newKey();
    await stage.connectKey(quick.admin.headers, 'keyed-bearer', { fields: { api_key: key } });
    stage.endKey(key);
    stage.clock.advance(DAY_MS);
    const held: { end(): unknown }[] = [];
    stage.api.answer((incoming, response) => {
      if (incoming.headers['x-key']) return void held.push(response);
      response.writeHead(401).end();
    });
    const puts = Array.from({ length: 30 }, () =>
      stage.put(slow.member.headers, 'keyed', { fields: { api_key: stage.newKey() } }),
    );
    const verifying = stage.app.integrations.verifyDue();
    await waitUntil(
      'the other key is verified',
      async () => (await quick.at.status('keyed-bearer')).status === 'needs_reconnect',
    );
    assert.ok(held.length <= 4 + 2, `${held.length} at once: four of a member, and two keys of a team.`);
    const other = await stage.put(quick.member.headers, 'keyed-bearer', { fields: { api_key: 'x' } });
    assert.equal(other.status, 422);
    stage.mend();
    for (const response of held) response.end();
    const replies = await Promise.all(puts);
    await verifying;
    assert.ok(
      replies.some(({ status }) => status === 429),
      'Whoever sends many at once is told to wait.',
    );
  });
});
