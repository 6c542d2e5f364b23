import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { createBodyGuard } from '../../src/http/guard/body-guard.ts';

/** A little more than what isn't counted, and as many as fit. */
const BYTES = 16 * 1024 + 1;
const FIT = Math.floor((64 * 1024 * 1024) / BYTES);
const MORE = 300;

/** Webhooks whose bodies never come, each from an address of its own. */
const createFlood = () => {
  const guard = createBodyGuard();
  let looks = 0;
  const ended: number[] = [];

  const begin = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const raw = Object.assign(new EventEmitter(), { url: '/' });
      Object.defineProperty(raw, 'complete', { get: () => ++looks < 0 });
      const request = {
        ...{ raw, method: 'POST', headers: { 'content-length': String(BYTES) }, route: { access: 'signed' } },
        ...{ ip: `192.0.${index >> 8}.${index & 255}`, releaseBody: null },
      };
      const reply = {
        ...{ request, raw: new EventEmitter(), header: () => reply, send: () => void ended.push(index) },
      };
      guard.preParsing(
        request as unknown as FastifyRequest,
        reply as unknown as FastifyReply,
        {} as RequestPayload,
        (error) => (error ? reject(error) : resolve()),
      );
    });
  return { begin, ended, countLooks: () => looks };
};

test('a body that needs the space of unfinished ones costs the same, however many there are', async () => {
  const flood = createFlood();
  for (let index = 0; index < FIT; index++) await flood.begin(index);
  assert.equal(flood.countLooks(), 0);
  for (let index = FIT; index < FIT + MORE; index++) await flood.begin(index);
  assert.deepEqual(
    flood.ended,
    Array.from({ length: MORE }, (_, index) => index),
    'The oldest make way.',
  );
  assert.ok(flood.countLooks() <= 2 * MORE, `${flood.countLooks()} bodies were looked at`);
});
