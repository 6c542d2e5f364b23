import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outbound } from '../../src/platform/index.ts';
import { expectConnected, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MANY = 300;
const MOST_WAITING = 100;

const toResponse = (body: object) => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) });

onOneEngine('a state that comes back very often while the provider is slow', (engine) => {
  const held = Promise.withResolvers<void>();
  /** A provider that doesn't respond before it's told to. */
  const outbound: Outbound = {
    async request({ url }) {
      if (!url.includes('access_token')) return toResponse({ id: 1, login: 'ada' });
      await held.promise;
      return toResponse({ access_token: 'a-token' });
    },
    open: () => Promise.reject(new Error('nobody asks for that')),
  };
  const flow = useStage(() => startConnectStage(engine, { outbound }));
  const team = prepare(() => flow.stage.createTeam('acme'));

  test('is looked up once for everyone who waits, and not everyone may wait', async (t) => {
    const { authorizationUrl, cookie } = await flow.begin(team.member);
    const back = flow.consent(authorizationUrl);
    const lookup = t.mock.method(flow.stage.app.database, 'get');
    const refused: Awaited<ReturnType<typeof flow.arrive>>[] = [];
    const arrivals = Array.from({ length: MANY }, async () => {
      const response = await flow.arrive(back, { cookie });
      if (response.statusCode === 409) refused.push(response);
      return response;
    });
    await waitUntil('the others are refused', () => refused.length === MANY - MOST_WAITING - 1, 10_000).finally(
      held.resolve,
    );
    const lookups = lookup.mock.callCount();
    const responses = await Promise.all(arrivals);
    assert.ok(lookups > 0 && lookups < MOST_WAITING, `${lookups} lookups`);
    for (const response of refused) expectRefused(response, 409, 'integrations.state_used');
    for (const response of responses.filter((one) => !refused.includes(one))) expectConnected(response);
    expectConnected(await flow.arrive(back, { cookie }));
  });
});
