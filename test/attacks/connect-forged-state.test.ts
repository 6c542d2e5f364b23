import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createTestLog, SECRETS } from '../harness/app.ts';
import { expectConnected, expectRefused, JSON_ONLY, startConnectStage, withParams } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const newKey = (): string => randomBytes(32).toString('base64');

describe('a state that was not made here, or not for this', () => {
  const flow = useStage(() => startConnectStage('sqlite', { providers: { github: {}, gitlab: {} } }));
  const team = prepare(() => flow.stage.createTeam('acme'));

  /** With valid proof of everything else: only the state is wrong. */
  const bring = async (state: string) => {
    const { cookie } = await flow.begin(team.member);
    const path = withParams('/api/integrations/github/callback', { code: 'a-code', state });
    return flow.arrive(path, { ...team.member.headers, cookie });
  };

  test('is refused after ten minutes, to the millisecond, and not before', async () => {
    const one = await flow.begin(team.member);
    const other = await flow.begin(team.member);
    const paths = [one, other].map(({ authorizationUrl }) => flow.consent(authorizationUrl));
    const before = flow.exchanges();
    flow.clock.advance(10 * 60_000 - 1);
    expectConnected(await flow.arrive(paths[0] ?? '', { cookie: one.cookie }));
    flow.clock.advance(1);
    expectRefused(await flow.arrive(paths[1] ?? '', { cookie: other.cookie }), 400, 'integrations.state_expired');
    assert.equal(flow.exchanges(), before + 1);
  });

  test('is refused with any single bit flipped', async () => {
    const { state } = await flow.begin(team.member);
    const parts = state.split('.');
    const before = flow.exchanges();
    let tried = 0;
    for (const index of [2, 3]) {
      const bytes = Buffer.from(parts[index] ?? '', 'base64url');
      for (let at = 0; at < bytes.length; at++) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
        const forged = parts.with(index, flipped.toString('base64url')).join('.');
        expectRefused(await bring(forged), 400, 'integrations.state_invalid', `part ${index}, byte ${at}`);
        tried++;
      }
    }
    assert.ok(tried > 100);
    assert.equal(flow.exchanges(), before);
  });

  test('is refused if truncated, extended, spliced from two, or any other text', async () => {
    const [one, other] = [await flow.begin(team.member), await flow.begin(team.member)];
    const { state } = one;
    const [version = '', key = '', nonce = '', body = ''] = state.split('.');
    const [, , otherNonce = '', otherBody = ''] = other.state.split('.');
    const before = flow.exchanges();
    const forged = [
      ...[1, 2, 10, 21, 22, 23, 43, 100, state.length - 1].map((length) => state.slice(0, -length)),
      `${state}.`,
      `${state}.x`,
      `x${state}`,
      `${state}${body}`,
      [version, key, otherNonce, body].join('.'),
      [version, key, nonce, otherBody].join('.'),
      [version, key, '', body].join('.'),
      [version, key, nonce, ''].join('.'),
      [version, key, nonce, nonce].join('.'),
      [version, 'k2', nonce, body].join('.'),
      [version, '__proto__', nonce, body].join('.'),
      [version, 'constructor', nonce, body].join('.'),
      ['v2', key, nonce, body].join('.'),
      ['', key, nonce, body].join('.'),
      '.',
      '...',
      'undefined',
      'null',
      '{}',
      '%00',
      '😀'.repeat(50),
      'a'.repeat(1_000),
      'a'.repeat(1_001),
      'eyJhbGciOiJub25lIn0.e30.',
    ];
    for (const text of forged)
      expectRefused(await bring(text), 400, 'integrations.state_invalid', JSON.stringify(text).slice(0, 60));
    assert.equal(flow.exchanges(), before);
  });

  test('is refused if it is a ticket, a sealed token or another provider’s state', async () => {
    const { connectUrl } = await flow.begin(team.member);
    const foreign = await flow.begin(team.member, 'gitlab');
    const { vault } = flow.stage.app;
    const redirectUri = 'http://localhost:3000/api/integrations/github/callback';
    const sealedFor = (purpose: string, binding: string[]) =>
      vault.sealPassing(
        purpose,
        binding,
        Buffer.from(JSON.stringify(['n', 'v', 'u', 't', 9e15, null, null, null, null])),
      );
    const before = flow.exchanges();
    const others = {
      'a ticket': new URL(connectUrl).searchParams.get('ticket') ?? '',
      "another provider's state": foreign.state,
      'another purpose': sealedFor('connect ticket', [redirectUri]),
      'another address': sealedFor('connect state', ['https://elsewhere.example/api/integrations/github/callback']),
      'no address': sealedFor('connect state', []),
    };
    for (const [what, state] of Object.entries(others))
      expectRefused(await bring(state), 400, 'integrations.state_invalid', what);
    assert.equal(flow.exchanges(), before);
  });

  test('is refused if another ring made it, under the same key name or another', async () => {
    for (const name of ['k1', 'k9']) {
      const other = await startConnectStage('sqlite', { env: { PATCHBAY_KEYS: `${name}:${newKey()}` } });
      const { state } = await other.begin((await other.stage.createTeam('acme')).member);
      await other.close();
      const before = flow.exchanges();
      expectRefused(await bring(state), 400, 'integrations.state_invalid', name);
      assert.equal(flow.exchanges(), before);
    }
  });
});

onOneEngine('a key rotated between connect and callback', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const team = prepare(() => flow.stage.createTeam('acme'));

  /** Another process on the same database, with another ring. */
  const openBeside = async (keys: string) => {
    const { data, databaseUrl } = flow.stage.config;
    const config = readConfig({
      ...SECRETS,
      PATCHBAY_DATA: data,
      DATABASE_URL: databaseUrl?.reveal() ?? '',
      LOG_LEVEL: 'silent',
      ...flow.settings,
      PATCHBAY_KEYS: keys,
    });
    const { clock, simulator } = flow;
    const app = buildApp(config, { log: createTestLog().log, clock, outbound: simulator.outbound });
    const server = await app.createServer();
    return {
      arrive: (path: string, headers: Record<string, string>) =>
        server.inject({ url: path, headers: { ...JSON_ONLY, ...headers } }),
      async close() {
        await server.close();
        await app.close();
      },
    };
  };

  test('does not end the flow while the old key is in the ring', async () => {
    const { authorizationUrl, cookie } = await flow.begin(team.member);
    const rotated = await openBeside(`k2:${newKey()},${SECRETS.PATCHBAY_KEYS}`);
    const answer = await rotated.arrive(flow.consent(authorizationUrl), { cookie });
    await rotated.close();
    expectConnected(answer);
  });

  test('ends it once the old key has left the ring', async () => {
    const { authorizationUrl, cookie } = await flow.begin(team.member);
    const before = flow.exchanges();
    const rotated = await openBeside(`k2:${newKey()}`);
    const answer = await rotated.arrive(flow.consent(authorizationUrl), { cookie });
    await rotated.close();
    expectRefused(answer, 400, 'integrations.state_invalid');
    assert.equal(flow.exchanges(), before);
  });
});
