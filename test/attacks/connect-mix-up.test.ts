import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { expectConnected, expectRefused, startConnectStage, withParams } from '../harness/connect-flow.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const recordOf = (id: string, more: Partial<FullRecord> = {}): FullRecord => ({
  id,
  name: id,
  issuer: `https://${id}.example`,
  scopes: ['read'],
  pkce: 'required',
  authorize: { url: `https://${id}.example/authorize` },
  token: { url: `https://${id}.example/token` },
  identity: { url: `https://${id}.example/me`, id: 'sub', label: 'email' },
  ...more,
});

/** The honest one promises `iss`; the malicious one promises nothing. */
const HONEST = recordOf('honest', { issuerInCallback: true });
const EVIL = recordOf('evil');

describe('two providers, one of them malicious', () => {
  const flow = useStage(() => startConnectStage('sqlite', { providers: { google: {} }, custom: [HONEST, EVIL] }));
  const team = prepare(() => flow.stage.createTeam('acme'));

  const begin = (provider: string) => flow.begin(team.member, provider);
  const paramsOf = (path: string) => new URL(path, 'http://localhost').searchParams;

  const expectNoRequest = async (act: () => Promise<void>) => {
    const before = flow.simulator.requests.length + flow.simulator.strays.length;
    await act();
    assert.equal(flow.simulator.requests.length + flow.simulator.strays.length, before, 'a request was made');
  };

  test("a state of the one does not open at the other's callback, and no code goes anywhere", () =>
    expectNoRequest(async () => {
      for (const [asked, answering] of [
        ['evil', 'honest'],
        ['honest', 'evil'],
      ] as const) {
        const one = await begin(asked);
        const other = await begin(answering);
        const code = paramsOf(flow.consent(other.authorizationUrl)).get('code') ?? '';
        for (const iss of [`https://${asked}.example`, `https://${answering}.example`]) {
          const path = withParams(`/api/integrations/${answering}/callback`, { code, state: one.state, iss });
          const headers = { ...team.member.headers, cookie: `${one.cookie}; ${other.cookie}` };
          expectRefused(await flow.arrive(path, headers), 400, 'integrations.state_invalid', `${asked} → ${answering}`);
        }
      }
    }));

  test("the honest one's code, brought to the malicious one's callback, is refused by its issuer", () =>
    expectNoRequest(async () => {
      const evil = await begin('evil');
      const honest = await begin('honest');
      const code = paramsOf(flow.consent(honest.authorizationUrl)).get('code') ?? '';
      const path = withParams('/api/integrations/evil/callback', {
        code,
        state: evil.state,
        iss: 'https://honest.example',
      });
      expectRefused(await flow.arrive(path, { cookie: evil.cookie }), 400, 'integrations.issuer_wrong');
    }));

  test('a response with another issuer, or one that only looks right, is refused', () =>
    expectNoRequest(async () => {
      const issuers = [
        'https://evil.example',
        'https://honest.example/',
        'https://HONEST.example',
        'https://honest.example.evil.example',
        'http://honest.example',
        'honest.example',
        '',
      ];
      for (const iss of issuers) {
        const { authorizationUrl, cookie } = await begin('honest');
        const answer = await flow.arrive(withParams(flow.consent(authorizationUrl), { iss }), { cookie });
        expectRefused(answer, 400, 'integrations.issuer_wrong', `iss=${iss}`);
      }
      const { authorizationUrl, cookie } = await begin('google');
      const answer = await flow.arrive(withParams(flow.consent(authorizationUrl), { iss: 'https://evil.example' }), {
        cookie,
      });
      expectRefused(answer, 400, 'integrations.issuer_wrong', 'google');
    }));

  test('a response without the promised issuer is refused, and so is an error without it', () =>
    expectNoRequest(async () => {
      const { authorizationUrl, cookie, state } = await begin('honest');
      const bare = withParams(flow.consent(authorizationUrl), { iss: null });
      expectRefused(await flow.arrive(bare, { cookie }), 400, 'integrations.issuer_wrong');
      const error = withParams('/api/integrations/honest/callback', { state, error: 'access_denied' });
      expectRefused(await flow.arrive(error, { cookie }), 400, 'integrations.issuer_wrong');
    }));

  test('a false response does not use up the real one', async () => {
    const { authorizationUrl, cookie } = await begin('honest');
    const back = flow.consent(authorizationUrl);
    await flow.arrive(withParams(back, { iss: 'https://evil.example' }), { cookie });
    await flow.arrive(back.replace('/honest/', '/evil/'), { cookie });
    expectConnected(await flow.arrive(back, { cookie }), 'honest');
  });

  test('each gets its own codes and client, and nothing of the other’s', async () => {
    for (const provider of ['honest', 'evil']) {
      const { authorizationUrl, cookie } = await begin(provider);
      expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }), provider);
    }
    for (const { provider, address, params, reasons } of flow.simulator.requests) {
      assert.ok(address.startsWith(`https://${provider}.example/`), address);
      assert.ok(!JSON.stringify(params).includes(provider === 'evil' ? 'of-honest' : 'of-evil'));
      assert.deepEqual(reasons, []);
    }
  });
});
