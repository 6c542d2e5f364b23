import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, test } from 'node:test';
import { createUsageMeter } from '../../src/integrations/usage/usage-meter.ts';
import { createTestClock, createTestLog } from '../harness/app.ts';
import { openProxyStage, type ProxyStage } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

type Counted = { requests: number; failures: number };
type Use = (stage: ProxyStage, headers: Record<string, string>) => Promise<unknown>;

/** Begins a request, and waits until the provider has responded, or just until it was asked. */
const USES: Record<string, { use: Use; failures: number }> = {
  'with a response': {
    failures: 0,
    use: (stage, headers) => stage.call(stage.proxied('x'), { headers }),
  },
  'with a response that says it failed': {
    failures: 1,
    use(stage, headers) {
      stage.api.answer((_, response) => response.writeHead(500).end('no'));
      return stage.call(stage.proxied('x'), { headers });
    },
  },
  'without a response': {
    failures: 1,
    use(stage, headers) {
      stage.api.answer((_, response) => response.destroy());
      return stage.call(stage.proxied('x'), { method: 'POST', headers, body: 'hello' });
    },
  },
  'with half of a response': {
    failures: 1,
    async use(stage, headers) {
      let half: ServerResponse | undefined;
      stage.api.answer((_, response) => {
        half = response;
        response.write('half');
      });
      const sent = stage.begin(stage.proxied('x'), { headers });
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await new Promise((resolve) =>
        response
          .on('error', () => undefined)
          .on('close', resolve)
          .on('data', () => half?.destroy()),
      );
    },
  },
  'whose caller left before the response': {
    failures: 0,
    async use(stage, headers) {
      const asked = new Promise<void>((resolve) => stage.api.answer(() => resolve()));
      const sent = stage.begin(stage.proxied('x'), { headers }).on('error', () => undefined);
      sent.end();
      await asked;
      sent.destroy();
    },
  },
  'whose caller left during the response': {
    failures: 0,
    async use(stage, headers) {
      stage.api.answer((_, response) => response.write('half'));
      const sent = stage.begin(stage.proxied('x'), { headers }).on('error', () => undefined);
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.on('error', () => undefined).destroy();
    },
  },
};

describe('what is counted as use of a connection', { concurrency: false }, () => {
  const stage = useStage(() => openProxyStage('sqlite'));
  afterEach(() => stage.api.reset());

  const count = (teamId: string): Promise<Counted[]> =>
    stage.app.database.all('select requests, failures from connection_usage where team_id = $1', [teamId]);

  for (const [what, { use, failures }] of Object.entries(USES))
    test(`is a request ${what}, ${failures === 1 ? 'as a failure' : 'not as a failure'}`, async () => {
      const { headers, team } = await stage.connected();
      await use(stage, headers);
      await waitUntil('it is counted', async () => {
        // Writes what was counted, as it otherwise does every few seconds.
        await stage.app.integrations.close();
        return (await count(team.id)).length === 1;
      });
      assert.deepEqual(
        (await count(team.id)).map((row) => [Number(row.requests), Number(row.failures)]),
        [[1, failures]],
      );
    });

  test('is in the status as soon as it is written', async () => {
    const { at, headers } = await stage.connected();
    await stage.call(stage.proxied('x'), { headers });
    assert.equal((await at.status('acme-full')).lastUsedAt, null);
    // Writes what was counted, as it otherwise does every few seconds.
    await stage.app.integrations.close();
    assert.equal((await at.status('acme-full')).lastUsedAt, new Date(stage.clock.now()).toISOString());
  });

  test('is every request, in however many hours it came since the last were written', async () => {
    const hours = 401;
    const { team } = await stage.connected();
    const connection = await stage.row(team.id, 'acme-full');
    const { log } = createTestLog();
    const clock = createTestClock();
    const meter = createUsageMeter({ database: stage.app.database, clock, log, forgetStatus: () => undefined });
    for (let hour = 0; hour < hours; hour++) {
      meter.count(connection, { failed: false, bytes: 1, tokenId: null });
      clock.advance(3_600_000);
    }
    await meter.close();
    assert.equal((await count(team.id)).length, hours);
  });
});
