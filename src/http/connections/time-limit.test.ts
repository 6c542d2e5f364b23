import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FastifyReply, fastify } from 'fastify';
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

test('handlers whose time is up at the same moment are ended a few at a time', async (context) => {
  const limit = createTimeLimit(100);
  context.after(limit.stop);
  const COUNT = 100;
  const ended = [0];
  for (let count = 0; count < COUNT; count++) {
    const reply = { sent: false, raw: {}, request: {}, send: () => ended.push((ended.pop() ?? 0) + 1) };
    limit.begin(reply as unknown as FastifyReply);
  }
  const countAll = (): number => ended.reduce((sum, one) => sum + one);
  while (countAll() < COUNT) {
    await nextTurn();
    if (ended.at(-1) !== 0) ended.push(0);
  }
  assert.deepEqual([Math.max(...ended), countAll()], [16, COUNT]);
});

test('a handler whose client is gone gives back its slot when its time is up, and one that passes a body on goes on', async (context) => {
  const limit = createTimeLimit(100);
  context.after(limit.stop);
  const ended: string[] = [];
  const begin = (name: string, isGone: boolean, route: object = {}): void => {
    const reply = {
      ...{ sent: false, raw: { destroyed: isGone }, send: () => ended.push(`${name} has a response`) },
      request: { route, endTurn: () => ended.push(`${name} has left`) },
    };
    limit.begin(reply as unknown as FastifyReply);
  };
  begin('passing', false, { passesBody: true });
  begin('gone', true);
  begin('last', false);
  while (!ended.includes('last has a response')) await nextTurn();
  assert.deepEqual(ended, ['gone has left', 'last has a response']);
});
