import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { createTimeLimit } from './time-limit.ts';

test('a handler that takes too long gets a 503, and others are left alone', async () => {
  const limit = createTimeLimit(200);
  const server = fastify();
  server.decorateReply('underWay', null);
  server.addHook('onRequest', (_request, reply, done) => {
    limit.begin(reply);
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    assert.ok(limit.end(reply) >= 0);
    done();
  });
  server.setErrorHandler((error: { status?: number }, _request, reply) =>
    reply.code(error.status ?? 500).send('refused'),
  );
  const { promise: never, resolve: atLast } = Promise.withResolvers<string>();
  server.get('/never', () => never);
  server.get('/soon', () => 'here');
  const [late, soon] = await Promise.all([server.inject('/never'), server.inject('/soon')]);
  assert.equal(late.statusCode, 503);
  assert.equal(soon.statusCode, 200);
  atLast('too late to be heard');
  assert.equal((await server.inject('/soon')).statusCode, 200);
  limit.stop();
  await server.close();
});
