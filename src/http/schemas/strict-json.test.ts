import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { LIMITS } from '../contract/limits.ts';
import { useStrictJson } from './strict-json.ts';

const createParser = async () => {
  const server = fastify({ bodyLimit: LIMITS.jsonBytes });
  server.decorateRequest('caller', null);
  server.decorateRequest('route');
  server.addHook('onRequest', (request, _reply, done) => {
    request.route = { access: 'member' };
    done();
  });
  useStrictJson(server, LIMITS.jsonBytes);
  server.post('/', () => 'parsed');
  await server.ready();
  const post = (payload: string) =>
    server.inject({ method: 'POST', url: '/', headers: { 'content-type': 'application/json' }, payload });
  return { post, close: () => server.close() };
};

test('large bodies are parsed in turns, and small ones go on in between', async () => {
  const parser = await createParser();
  const answered: string[] = [];
  const send = async (what: string, payload: string): Promise<void> => {
    assert.equal((await parser.post(payload)).statusCode, 200);
    answered.push(what);
  };
  const large = JSON.stringify('\\'.repeat(500_000));
  await Promise.all([...Array.from({ length: 20 }, () => send('large', large)), send('small', '{}')]);
  assert.ok(answered.indexOf('small') <= 3, `${answered.indexOf('small')} large ones went first`);
  await parser.close();
});

test('a body with many names, values or levels is refused before it is parsed', async () => {
  const parser = await createParser();
  const costly = {
    names: `{${Array.from({ length: 100_000 }, (_, name) => `"${name}":1`).join(',')}}`,
    values: `[${'1,'.repeat(500_000)}1]`,
    levels: '['.repeat(500_000) + ']'.repeat(500_000),
    objects: `[${'{},'.repeat(300_000)}{}]`,
  };
  for (const [what, payload] of Object.entries(costly)) {
    const { statusCode, body } = await parser.post(payload);
    assert.equal(statusCode, 400, what);
    assert.match(body, /too many values/, what);
  }
  const usual = `{"a":[${'1,'.repeat(9_000)}1],"b":"${'x'.repeat(900_000)}"}`;
  assert.equal((await parser.post(usual)).statusCode, 200);
  await parser.close();
});
