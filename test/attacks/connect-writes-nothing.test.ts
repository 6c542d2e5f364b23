import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProviders } from '../../src/config/read-providers.ts';
import { createClients } from '../../src/integrations/clients/clients.ts';
import { beginConnect } from '../../src/integrations/connect/begin-connect.ts';
import { STANDARD_OPTIONS } from '../../src/integrations/connect/connect-state.ts';
import { createDiscovery } from '../../src/integrations/requests/discovery.ts';
import { expectRefused, JSON_ONLY, startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { createRandom } from '../harness/random.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const REDIRECT = 'http://localhost:3000/api/integrations/github/callback';
const STATES = 10_000;

onOneEngine('starting a flow', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const team = prepare(() => flow.stage.createTeam('acme'));

  const listTables = async (): Promise<string[]> => {
    const { database } = flow.stage.app;
    const rows = await database.all<{ name: string }>(
      engine === 'sqlite'
        ? `select '"' || name || '"' as name from sqlite_master where type = 'table' order by name`
        : `select '"' || table_schema || '"."' || table_name || '"' as name from information_schema.tables
            where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE' order by name`,
    );
    return rows.map(({ name }) => name);
  };

  /** Every row of every table. */
  const readAll = async (): Promise<Record<string, string[]>> => {
    const all: Record<string, string[]> = {};
    for (const table of await listTables()) {
      const rows = await flow.stage.app.database.all(`select * from ${table}`);
      all[table] = rows.map((row) => JSON.stringify(row)).sort();
    }
    return all;
  };

  test('writes nothing to the database, however often and by whichever route', async () => {
    const session = await openSession(flow.stage, team.member.user);
    const csrf = { ...session.headers, 'x-csrf-token': session.csrfToken };
    // The use of a credential is recorded once, before the flow begins.
    await flow.begin(team.member);
    await flow.post('github/connect', csrf);
    const before = await readAll();
    assert.ok(Object.keys(before).length >= 8);
    for (let turn = 0; turn < 50; turn++) {
      await flow.begin(team.member, 'github', { returnTo: '/done', scopes: ['repo'] });
      assert.equal((await flow.post('github/connect', csrf)).statusCode, 200);
      assert.equal((await flow.get('/api/integrations/github/connect', session.headers)).statusCode, 302);
      assert.equal(
        (await flow.get('/api/integrations/github/connect?scopes=a+b', team.member.headers)).statusCode,
        302,
      );
      await flow.get('/api/integrations/github/connect', { ...session.headers, 'sec-fetch-site': 'cross-site' });
      await flow.get('/api/integrations/github/connect', JSON_ONLY);
      await flow.get('/api/integrations/github/connect?ticket=forged', JSON_ONLY);
      await flow.arrive('/api/integrations/github/callback?code=x&state=forged');
    }
    assert.deepEqual(await readAll(), before);
  });
});

onOneEngine('the state', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const team = prepare(() => flow.stage.createTeam('acme'));

  const begin = async (payload: object = {}) => {
    const answer = await flow.post('github/connect', team.member.headers, payload);
    return { answer, state: answer.statusCode === 200 ? flow.stateOf(answer.json().authorizationUrl) : null };
  };

  test('has at most 1,000 characters: anything longer is refused when the flow starts', async () => {
    const { text } = createRandom('addresses');
    const wishes = [
      {},
      ...[100, 300, 500, 600, 700, 1_000, 1_900].map((length) => ({ returnTo: `/${text(length)}` })),
      ...[10, 50, 100].map((count) => ({ scopes: Array.from({ length: count }, () => text(20)) })),
      { scopes: Array.from({ length: 100 }, (_, index) => `https://scopes.example/auth/part.of.something.${index}`) },
      { scopes: Array.from({ length: 100 }, () => text(300)), returnTo: `/${text(1_900)}` },
    ];
    for (const wish of wishes) {
      const { answer, state } = await begin(wish);
      if (state === null) expectRefused(answer, 400, 'integrations.request_too_long');
      else assert.ok(state.length > 100 && state.length <= 1_000, `${state.length} characters`);
    }
    assert.ok((await begin()).state, 'a plain wish fits');
    assert.ok((await begin({ returnTo: `/${text(300)}` })).state, 'an address of 300 characters fits');
  });

  test('reveals nothing to whoever reads it', async () => {
    const { state } = await begin({ returnTo: '/where-i-go', scopes: ['a-scope'] });
    const plain = (state ?? '')
      .split('.')
      .map((part) => `${part} ${Buffer.from(part, 'base64url').toString('latin1')}`);
    for (const word of [team.team.id, team.member.user.id, 'where-i-go', 'a-scope', 'acme', 'github'])
      assert.ok(!plain.join(' ').includes(word), word);
  });

  /** What both routes do, without going through the server, because it's done very often here. */
  const createBeginning = () => {
    const { app, config } = flow.stage;
    const { catalogue, operatorClients } = readProviders(config);
    const context = {
      ...app,
      catalogue,
      operatorClients,
      discover: createDiscovery(app),
      clients: createClients({ ...app, catalogue, operatorClients }),
      returnOrigins: [],
      verifies: true,
      forgetStatus: () => undefined,
      forgetWebhooks: () => undefined,
      onConnectionEnded: async () => undefined,
    };
    const beginner = {
      userId: team.member.user.id,
      teamId: team.team.id,
      binding: null,
    };
    return () => {
      const startedAt = app.clock.now();
      const begun = { begunAt: startedAt, sessionId: null, tokenId: null };
      return beginConnect(context, 'github', { ...beginner, begun, startedAt }, STANDARD_OPTIONS);
    };
  };

  if (engine === 'sqlite')
    test(`has 256 random bits and its own verifier, ${STATES.toLocaleString('en')} times over`, async () => {
      const states = new Set<string>();
      const nonces = new Set<string>();
      const verifiers = new Set<string>();
      const challenges = new Set<string>();
      const ones = new Array<number>(256).fill(0);
      const begin = createBeginning();
      for (let turn = 0; turn < STATES; turn++) {
        const { authorizationUrl } = await begin();
        const { searchParams } = new URL(authorizationUrl ?? '');
        const state = searchParams.get('state') ?? '';
        const opened = flow.stage.app.vault.openPassing('connect state', [REDIRECT], state).toString();
        const [nonce, verifier] = JSON.parse(opened);
        const bytes = Buffer.from(nonce, 'base64url');
        assert.equal(bytes.length, 32);
        for (let bit = 0; bit < 256; bit++) ones[bit] = (ones[bit] ?? 0) + (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1);
        states.add(state);
        nonces.add(nonce);
        verifiers.add(verifier);
        challenges.add(searchParams.get('code_challenge') ?? '');
        assert.equal(searchParams.get('code_challenge_method'), 'S256');
      }
      for (const set of [states, nonces, verifiers, challenges]) assert.equal(set.size, STATES);
      // Seven standard deviations: no bit is fixed, as the version of a UUID would be.
      for (const count of ones) assert.ok(Math.abs(count - STATES / 2) < 3.5 * Math.sqrt(STATES), String(count));
    });
});
