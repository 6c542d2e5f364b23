import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { LIMITS } from '../contract/limits.ts';
import { useStrictJson } from './strict-json.ts';

test('large bodies are parsed in turns, and small ones go on in between', async () => {
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

  const answered: string[] = [];
  const send = async (what: string, payload: string): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const { statusCode } = await server.inject({ method: 'POST', url: '/', headers, payload });
    assert.equal(statusCode, 200);
    answered.push(what);
  };
  const large = `[${'{},'.repeat(300_000)}{}]`;
  await Promise.all([...Array.from({ length: 20 }, () => send('large', large)), send('small', '{}')]);
  assert.ok(answered.indexOf('small') <= 3, `${answered.indexOf('small')} large ones went first`);
  await server.close();
});
