import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { Outbound } from '../../src/platform/index.ts';
import { type Begun, expectConnected, expectRefused, JSON_ONLY, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { listenOnLoopback, printRequest } from '../harness/raw-http.ts';
import { skipAhead } from '../harness/skip-ahead.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PER_MEMBER = 4;
const PER_TEAM = 8;
const MOST_WAITING = 20;
const MANY = 60;
const LONGEST_FRESH_MS = 1_100;

const toResponse = (body: object) => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) });

/** A provider that answers no token request until it's told to. */
const createSilentProvider = () => {
  let hold = Promise.withResolvers<void>();
  const isOpen = { now: 0, most: 0 };
  let isSilent = true;
  const outbound: Outbound = {
    async request({ url }) {
      if (!url.includes('access_token')) return toResponse({ id: 1, login: 'ada' });
      isOpen.most = Math.max(isOpen.most, ++isOpen.now);
      if (isSilent) await hold.promise;
      isOpen.now--;
      return toResponse({ access_token: 'a-token' });
    },
    open: () => Promise.reject(new Error('nobody asks for that')),
  };
  return {
    outbound,
    isOpen,
    fallSilent() {
      hold = Promise.withResolvers();
      isSilent = true;
      isOpen.most = 0;
    },
    /** What was asked before stays unanswered. */
    answerOthers() {
      isSilent = false;
    },
    answerAll() {
      isSilent = false;
      hold.resolve();
    },
  };
};

onOneEngine('callbacks that arrive together while the provider is silent', (engine) => {
  const provider = createSilentProvider();
  const flow = useStage(() => startConnectStage(engine, { outbound: provider.outbound }));
  const team = prepare(() => flow.stage.createTeam('acme'));
  const others = prepare(() => flow.stage.createTeam('other'));

  const beginMany = async (person: { headers: Record<string, string> }, count: number): Promise<Begun[]> => {
    const begun: Begun[] = [];
    while (begun.length < count) begun.push(await flow.begin(person));
    return begun;
  };

  /** Without a credential, like any browser that comes back. */
  const comeBack = ({ authorizationUrl, cookie }: Begun) => flow.arrive(flow.consent(authorizationUrl), { cookie });

  test('begin few exchanges, and neither another team nor another member waits for them', async () => {
    const many = await beginMany(team.member, MANY);
    const [ofAdmin, ofOther] = [await flow.begin(team.admin), await flow.begin(others.member)];
    provider.fallSilent();
    let refused = 0;
    const arrivals = many.map(async (begun) => {
      const response = await comeBack(begun);
      if (response.statusCode === 429) refused++;
      return { begun, response };
    });
    await waitUntil('most are refused', () => refused >= MANY - PER_MEMBER - MOST_WAITING);
    await waitUntil('the first are asked for', () => provider.isOpen.now === PER_MEMBER);
    provider.answerOthers();
    expectConnected(await comeBack(ofOther));
    expectConnected(await comeBack(ofAdmin));
    assert.equal(provider.isOpen.now, PER_MEMBER, 'all of it while the provider is silent');
    provider.answerAll();
    const ended = await Promise.all(arrivals);
    const turnedAway = ended.filter(({ response }) => response.statusCode === 429);
    for (const { response } of ended)
      if (response.statusCode !== 429) expectConnected(response);
      else expectRefused(response, 429, 'integrations.too_many_connects');
    assert.ok(turnedAway.every(({ response }) => Number(response.headers['retry-after']) > 0));
    for (const { begun } of turnedAway) expectConnected(await comeBack(begun));
  });

  test('go on after their clients have left, but no more of them at a time', async () => {
    const port = await listenOnLoopback(flow.stage.server);
    const begun = [...(await beginMany(team.member, PER_TEAM)), ...(await beginMany(team.admin, PER_TEAM))];
    provider.fallSilent();
    const sockets = begun.map(({ authorizationUrl, cookie }) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      const headers = Object.entries({ host: 'localhost', cookie, ...JSON_ONLY });
      socket.write(printRequest(flow.consent(authorizationUrl), { headers }));
      return socket;
    });
    await waitUntil('the first are asked for', () => provider.isOpen.now === PER_TEAM);
    const left = sockets.map((socket) => once(socket, 'close'));
    for (const socket of sockets) socket.destroy();
    await Promise.all(left);
    provider.answerAll();
    const countDone = async (): Promise<number> =>
      (await flow.stage.app.database.all("select 1 from connect_attempts where phase = 'exchanging'")).length;
    await waitUntil('what has begun is done', async () => (await countDone()) === 0 && provider.isOpen.now === 0);
    assert.ok(provider.isOpen.most <= PER_TEAM, `${provider.isOpen.most} at once`);
    expectConnected(await comeBack(begun[0] ?? assert.fail()), 'github');
  });

  test('are refused before anything is read if too many wait, even without proof', async (t) => {
    const [own, ...many] = await beginMany(team.member, MANY);
    // What was read before isn't fresh anymore, such as whether the service is paused.
    skipAhead(LONGEST_FRESH_MS);
    const { database } = flow.stage.app;
    const get = database.get.bind(database);
    const slow = Promise.withResolvers<void>();
    const lookup = t.mock.method(database, 'get', (...statement: Parameters<typeof get>) =>
      slow.promise.then(() => get(...statement)),
    );
    let refused = 0;
    const arrivals = many.map(async ({ authorizationUrl }) => {
      const { statusCode } = await flow.arrive(flow.consent(authorizationUrl));
      if (statusCode === 429) refused++;
    });
    await waitUntil('the others are refused', () => refused >= many.length - PER_MEMBER - MOST_WAITING);
    await waitUntil('the first are looked up', () => lookup.mock.callCount() > 0);
    assert.ok(lookup.mock.callCount() <= PER_MEMBER, `${lookup.mock.callCount()} lookups`);
    lookup.mock.restore();
    expectConnected(await comeBack(own ?? assert.fail()));
    slow.resolve();
    await Promise.all(arrivals);
  });
});
