import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outbound } from '../../src/platform/index.ts';
import {
  type ConnectStage,
  expectConnected,
  expectRefused,
  startConnectStage,
  type Team,
} from '../harness/connect-flow.ts';
import { onEachEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const MANY = 20;
/** As long as a token response may make it. */
const LONG_TOKEN = 'x'.repeat(60_000);

const toResponse = (body: object) => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) });

/** As many of one person are finished at the same time. */
const AT_ONCE = 4;

/** A provider that answers everyone who may ask at once in the same moment, each as another account. */
const createSimultaneousProvider = (): Outbound => {
  let everyone = Promise.withResolvers<void>();
  let [exchanges, accounts] = [0, 0];
  return {
    async request({ url }) {
      if (!url.includes('access_token')) return toResponse({ id: ++accounts, login: `user-${accounts}` });
      const { promise, resolve } = everyone;
      if (++exchanges % AT_ONCE === 0) {
        everyone = Promise.withResolvers();
        resolve();
      }
      await promise;
      return toResponse({ access_token: LONG_TOKEN });
    },
    open: () => Promise.reject(new Error('nobody asks for that')),
  };
};

/** Many flows that were started one by one come back together. */
const arriveTogether = async (flow: ConnectStage, { member }: Team) => {
  const begun = [];
  for (let count = 0; count < MANY; count++) begun.push(await flow.begin(member));
  return Promise.all(
    begun.map(({ authorizationUrl, cookie }) => flow.arrive(flow.consent(authorizationUrl), { cookie })),
  );
};

onEachEngine('many callbacks for one connection', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { outbound: createSimultaneousProvider() }));
  const team = prepare(() => flow.stage.createTeam('acme'));

  test('replace each other one by one, and none of them fails', async () => {
    for (const answer of await arriveTogether(flow, team)) expectConnected(answer);
    assert.equal(await flow.statusOf(team.member), 'connected');
    const { database } = flow.stage.app;
    const rows = await database.all<{ generation: number }>('select generation from connections');
    assert.deepEqual(
      rows.map(({ generation }) => generation),
      [MANY],
    );
  });
});

onEachEngine('tokens of a mebibyte', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const team = prepare(() => flow.stage.createTeam('acme'));

  test('are refused, however many come at the same time', async () => {
    const answer = { access_token: 'x'.repeat(1024 * 1024) };
    flow.simulator.fail('github', 'token', { status: 200, answer }, { times: MANY });
    for (const refused of await arriveTogether(flow, team))
      expectRefused(refused, 502, 'integrations.exchange_unclear');
    assert.equal(await flow.statusOf(team.member), 'disconnected');
  });
});
