import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createTestClock } from '../../../test/harness/app.ts';
import { createRateLimit } from '../../platform/index.ts';
import { createAccessGuard } from './access-guard.ts';
import { createCallerLimit } from './caller-limit.ts';

test('failed credential lookups count, too, by address', async () => {
  const clock = createTestClock();
  const away = new Error('The identity provider is away.');
  const guard = createAccessGuard({
    callers: {
      fromBearer: () => Promise.reject(away),
      fromSession: () => Promise.reject(away),
      fromOperator: () => null,
    },
    doors: { cron: [], debug: [], metrics: [], operator: [] },
    sessionCookie: 'session',
    callerLimit: createCallerLimit({ clock, perMinute: 1_000_000 }),
    limit: createRateLimit({ clock, perMinute: 1_000_000 }),
    failures: createRateLimit({ clock, perMinute: 2 }),
    operatorLimit: createRateLimit({ clock, perMinute: 1 }),
    operatorTeamLimit: createRateLimit({ clock, perMinute: 1 }),
  });
  const ask = (ip: string, headers: Record<string, string>) =>
    new Promise<unknown>((resolve) => {
      const request = { ip, headers, route: { access: 'member' } } as unknown as FastifyRequest;
      guard.onRequest(request, {} as FastifyReply, resolve);
    });
  const codeOf = (error: unknown) => (error === away ? 'away' : (error as { code: string }).code);

  const bearer = { authorization: 'Bearer x' };
  const codes = [];
  for (const headers of [bearer, { cookie: 'session=x' }, bearer]) codes.push(codeOf(await ask('192.0.2.1', headers)));
  assert.deepEqual(codes, ['away', 'away', 'http.rate_limited']);
  assert.equal(codeOf(await ask('192.0.2.2', bearer)), 'away');
});
