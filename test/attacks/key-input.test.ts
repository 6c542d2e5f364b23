import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { openKeysStage } from '../harness/keys-stage.ts';
import { problemIn } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

describe('a key that is no key', () => {
  const stage = useStage(() => openKeysStage('sqlite'));
  afterEach(() => stage.mend());

  const refuse = async (provider: string, body: object, path: string, message: RegExp): Promise<void> => {
    const { member, at } = await stage.newTeam();
    const reply = await stage.put(member.headers, provider, body);
    assert.equal(reply.status, 400, reply.body);
    const { errors } = JSON.parse(reply.body);
    const found = errors.find((one: { path: string }) => one.path === `body.${path}`);
    assert.match(found?.message ?? reply.body, message);
    assert.ok(!reply.body.includes('canary'), 'What was entered is not repeated.');
    assert.equal((await at.status(provider)).status, 'disconnected');
    assert.deepEqual(stage.api.received, [], 'The provider was not asked.');
  };

  for (const [what, value] of Object.entries({
    'a line break': 'canary\r\nX-Admin: yes',
    'a bare line feed': 'canary\nX-Admin: yes',
    'a tab': 'canary\tx',
    'an escape character': 'canary\u001b[2J',
    'a DEL character': 'canary\u007f',
    'a next-line character': 'canary\u0085x',
    'a letter that is not ASCII': 'canary-ü',
    'a letter that ends in a line feed if it is cut to a byte': 'canary\u010aX-Admin: yes',
  }))
    test(`with ${what} never gets near a header`, () =>
      refuse('keyed', { fields: { api_key: value } }, 'fields.api_key', /plain ASCII/));

  test('is refused if it is missing, blank, surrounded by spaces, or too long for its field', async () => {
    await refuse('keyed', { fields: {} }, 'fields.api_key', /is required/);
    await refuse('keyed', { fields: { api_key: '' } }, 'fields.api_key', /is required/);
    await refuse('keyed', { fields: { api_key: ' canary ' } }, 'fields.api_key', /begin or end with a space/);
    await refuse('keyed', { fields: { api_key: `canary${'x'.repeat(200)}` } }, 'fields.api_key', /200 characters/);
    const password = `canary${'x'.repeat(2_000)}`;
    await refuse('keyed-basic', { fields: { username: 'a', password } }, 'fields.password', /2000 characters/);
  });

  test('is refused if a user name would end early', () =>
    refuse('keyed-basic', { fields: { username: 'a:b', password: 'canary' } }, 'fields.username', /a colon/));

  test('is refused if it has other fields than the provider', async () => {
    const api_key = stage.newKey();
    await refuse('keyed', { fields: { api_key, password: 'canary' } }, 'fields.password', /not a field of this/);
    await refuse('keyed', { fields: { api_key, __proto__x: 'canary' } }, 'fields', /does not have/);
    await refuse('keyed', { fields: { api_key, 'canary=1': 'x' } }, 'fields', /does not have/);
    await refuse('keyed-basic', { fields: { username: 'a' } }, 'fields.password', /is required/);
  });

  test('is refused if it is huge, many, or not text, before anyone looks at it', async () => {
    const { member } = await stage.newTeam();
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field${index}`, 'x']));
    for (const fields of [
      { api_key: 'x'.repeat(500_000) },
      many,
      { api_key: { a: 1 } },
      { api_key: 7 },
      [],
      'key',
      null,
    ]) {
      const reply = await stage.put(member.headers, 'keyed', { fields });
      assert.equal(reply.status, 400, reply.body.slice(0, 500));
      assert.ok(reply.body.length < 5_000);
    }
    const reply = await stage.put(member.headers, 'keyed', { fields: { api_key: 'x'.repeat(2_000_000) } });
    assert.equal(reply.status, 413);
    assert.deepEqual(stage.api.received, []);
  });

  test('cannot name another host, path, or connection', async () => {
    const { member } = await stage.newTeam();
    const fields = { api_key: stage.newKey() };
    for (const site of ['..', 'a/b', 'a.evil.example/', '', 'A', 'a?x', 'a#x', '%2e%2e']) {
      const reply = await stage.put(member.headers, 'keyed-site', { fields, params: { site } });
      assert.deepEqual([reply.status, problemIn(reply)], [400, 'integrations.params_invalid'], site);
    }
    const missing = await stage.put(member.headers, 'keyed-site', { fields });
    assert.deepEqual([missing.status, problemIn(missing)], [400, 'integrations.params_invalid']);
    const named = await stage.put(member.headers, 'keyed', { fields, connection: '../default' });
    assert.equal(named.status, 400);
    const inQuery = await stage.ask('PUT', '/api/integrations/keyed/key?connection=work', member.headers, { fields });
    assert.equal(inQuery.status, 400, 'A name in the query would be ignored.');
    assert.deepEqual(stage.api.received, []);
  });

  test('with a placeholder in it is sent as it is', async () => {
    const { admin } = await stage.newTeam();
    const { password } = stage.newPair('{password}');
    await stage.connectKey(admin.headers, 'keyed-basic', { fields: { username: '{password}', password } });
    const sent = stage.api.received[0]?.headers.authorization ?? '';
    assert.equal(Buffer.from(sent.slice(6), 'base64').toString(), `{password}:${password}`);
  });
});
