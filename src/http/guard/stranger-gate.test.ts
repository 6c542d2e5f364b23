import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createTestClock } from '../../../test/harness/app.ts';
import { Refusal } from '../../platform/index.ts';
import { LIMITS } from '../contract/limits.ts';
import { createStrangerGate } from './stranger-gate.ts';

const BODIES_AT_ONCE = 4;
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

const createGate = () =>
  createStrangerGate({ clock: createTestClock(), tooBusy: () => new Refusal(503, 'test.too_busy', 'Too busy.') });

const requestFrom = (ip: string, length = LIMITS.webhookBytes): FastifyRequest =>
  ({ ip, headers: { 'content-length': String(length) } }) as unknown as FastifyRequest;

test('the large bodies of an address are read a few at a time, and one whose sender has left takes no turn', async () => {
  const gate = createGate();
  const read: string[] = [];
  const begin = (name: string, ip: string) => {
    const raw = Object.assign(new EventEmitter(), { closed: false });
    void gate.beforeBody(requestFrom(ip), { raw } as unknown as FastifyReply)?.then(() => read.push(name));
    return () => {
      raw.closed = true;
      raw.emit('close');
    };
  };
  const [endFirst = assert.fail] = Array.from({ length: BODIES_AT_ONCE }, (_, index) => begin(`${index}`, '192.0.2.1'));
  const leave = begin('left', '192.0.2.1');
  begin('next', '192.0.2.1');
  begin('elsewhere', '192.0.2.2');
  await nextTurn();
  assert.deepEqual(read.toSorted(), ['0', '1', '2', '3', 'elsewhere']);
  leave();
  endFirst();
  await nextTurn();
  assert.ok(read.includes('next'), read.join(', '));
});

test('what waits to be verified is bounded, and makes room when it has had its turn', async () => {
  const gate = createGate();
  const heavy = { bytes: LIMITS.webhookBytes, isLight: false };
  const wait = () => gate.beforeReading(requestFrom('192.0.2.1'), heavy);
  const waiting = Array.from({ length: MOST_WAITING_BYTES / heavy.bytes }, wait);
  await assert.rejects(async () => wait(), { code: 'test.too_busy' });
  await Promise.all(waiting);
  await wait();
});
