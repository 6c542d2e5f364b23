import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { JWK } from 'oidc-provider';
import { onOneEngine } from '../harness/databases.ts';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { OPERATOR, TEAM } from '../harness/oauth-server.ts';
import { expectProblem } from '../harness/problem.ts';
import { fullRecord, shortRecord } from '../harness/provider-file.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;

const makeKey = (kid: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { kid, pem, publicJwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } as JWK };
};

const [first, second, unknown] = [makeKey('first'), makeKey('second'), makeKey('unknown')];

const auth = 'private_key_jwt';
const listRecords = (issuer: string) => {
  const request = { url: `${issuer}/token`, auth };
  const revoke = { url: `${issuer}/token/revocation`, auth };
  return [
    shortRecord(issuer),
    fullRecord(issuer, { token: request, revoke, assertion: { audience: 'issuer', algorithms: ['RS256', 'ES256'] } }),
    fullRecord(issuer, { id: 'acme-never', token: request, revoke, refresh: { rotates: 'never' } }),
  ];
};

const ASSERTION = 'client_assertion';

onOneEngine('a client with a private key', (engine) => {
  const stage = useStage(() =>
    openIntegrationsStage(engine, {
      publicKeys: [first.publicJwk, second.publicJwk],
      records: listRecords,
      startAt: Date.now(),
      settings: (path) => ({
        PATCHBAY_PROVIDERS: path,
        OAUTH_ACME_CLIENT_ID: OPERATOR.id,
        OAUTH_ACME_PRIVATE_KEY: first.pem,
        OAUTH_ACME_FULL_CLIENT_ID: OPERATOR.id,
        OAUTH_ACME_FULL_PRIVATE_KEY: second.pem.trim().replaceAll('\n', '\\n'),
        OAUTH_ACME_FULL_KEY_ID: second.kid,
        OAUTH_ACME_NEVER_CLIENT_ID: OPERATOR.id,
        OAUTH_ACME_NEVER_PRIVATE_KEY: unknown.pem,
      }),
    }),
  );

  const assertionsSince = (from: number): string[] =>
    stage.oauth.seen
      .slice(from)
      .filter(({ kind }) => ['code', 'refresh', 'revoke'].includes(kind))
      .map(({ params }) => params.get(ASSERTION) ?? '');

  /** The body of a token or revocation request holds all there is. */
  const replay = (params: URLSearchParams): Promise<Response> =>
    fetch(`${stage.oauth.issuer}/token`, { method: 'POST', body: params });

  const put = (headers: Readonly<Record<string, string>>, provider: string, body: object) =>
    stage.ask('PUT', `/api/integrations/${provider}/credentials`, headers, body);

  for (const provider of ['acme', 'acme-full'])
    test(`${provider}: it connects, refreshes and revokes, with an assertion of its own each time`, async () => {
      const from = stage.oauth.seen.length;
      const { at } = await stage.newTeam();
      const account = stage.newAccount();
      await at.connect(provider, account);
      stage.clock.advance(HOUR_MS);
      assert.equal(await stage.oauth.whoIs(await at.token(provider)), account);
      assert.equal(await at.disconnect(provider), 'revoked');
      const assertions = assertionsSince(from);
      assert.equal(assertions.length, 3);
      assert.equal(new Set(assertions.map((assertion) => decodeJwt(assertion).jti)).size, 3);
      const [assertion = ''] = assertions;
      const { iss, sub, aud } = decodeJwt(assertion);
      const { issuer } = stage.oauth;
      const expected = provider === 'acme' ? { aud: `${issuer}/token` } : { aud: issuer };
      assert.deepEqual({ iss, sub, aud }, { iss: OPERATOR.id, sub: OPERATOR.id, ...expected });
      const header = { alg: 'ES256', typ: 'JWT' };
      assert.deepEqual(decodeProtectedHeader(assertion), provider === 'acme' ? header : { ...header, kid: second.kid });
    });

  test('the server accepts an assertion once', async () => {
    const { at } = await stage.newTeam();
    const from = stage.oauth.seen.length;
    await at.connect('acme', stage.newAccount());
    const sent = stage.oauth.seen.slice(from).find(({ kind }) => kind === 'code');
    const answer = await replay(sent?.params ?? assert.fail());
    assert.equal(answer.status, 401);
    assert.equal(((await answer.json()) as { error: string }).error, 'invalid_client');
  });

  test('a key that the server does not know is refused, and neither the log nor the response shows it', async () => {
    const { at } = await stage.newTeam();
    const from = stage.oauth.seen.length;
    const reply = await at.tryConnect('acme-never', stage.newAccount());
    const { code } = expectProblem(reply, 502, 'connect with a wrong key');
    assert.match(code, /^integrations\./);
    const logged = inspect(stage.lines, { depth: 9, maxStringLength: null });
    for (const secret of [...assertionsSince(from), ...unknown.pem.split('\n').slice(1, 3)]) {
      assert.ok(!logged.includes(secret) && !reply.body.includes(secret));
    }
  });

  test("can be a team's own, and its key can be rotated", async () => {
    const { at, team } = await stage.newTeam();
    const own = { clientId: TEAM.id, clientSecret: null };
    const saved = await put(at.headers, 'acme-full', { ...own, privateKey: first.pem, keyId: first.kid });
    assert.equal(saved.status, 200, saved.body);
    assert.ok(!saved.body.includes('PRIVATE KEY'));
    const account = stage.newAccount();
    await at.connect('acme-full', account);
    assert.equal((await stage.row(team.id, 'acme-full')).clientId, TEAM.id);

    const jwk = JSON.stringify({ ...JSON.parse(JSON.stringify(second.publicJwk)), d: undefined });
    const refused = expectProblem(await put(at.headers, 'acme-full', { ...own, privateKey: jwk }), 400, 'public key');
    assert.match(refused.errors?.[0]?.message ?? '', /a JWK with its private part/);

    await put(at.headers, 'acme-full', { ...own, privateKey: unknown.pem });
    stage.clock.advance(HOUR_MS);
    await at.refusedToken('acme-full', 503);
    const { status, reason, lastError } = await at.status('acme-full');
    assert.deepEqual([status, reason], ['degraded', 'client_refused']);
    assert.match(lastError ?? '', /private key/);

    const rotated = await put(at.headers, 'acme-full', { ...own, privateKey: second.pem, keyId: second.kid });
    assert.equal(rotated.status, 200, rotated.body);
    stage.clock.advance(HOUR_MS);
    const from = stage.oauth.seen.length;
    assert.equal(await stage.oauth.whoIs(await at.token('acme-full')), account);
    assert.equal(decodeProtectedHeader(assertionsSince(from)[0] ?? '').kid, second.kid);
    const rows = await stage.app.database.all('select * from provider_credentials where team_id = $1', [team.id]);
    assert.ok(!JSON.stringify(rows).includes(second.pem.split('\n')[1] ?? ''));
  });

  test('is set as the entry says: with a key where it takes one, and never with both', async () => {
    const { at } = await stage.newTeam();
    const client = { clientId: TEAM.id, clientSecret: null };
    const why = async (provider: string, body: object): Promise<string> => {
      const { errors = [] } = expectProblem(await put(at.headers, provider, body), 400, JSON.stringify(body));
      return errors.map(({ path, message }) => `${path} ${message}`).join();
    };
    assert.match(await why('acme-full', { ...client, clientSecret: TEAM.secret }), /^body\.privateKey is required/);
    assert.match(await why('acme-full', client), /^body\.privateKey is required/);
    assert.match(await why('github', { ...client, privateKey: first.pem }), /^body\.privateKey is not how clients/);
    assert.match(
      await why('acme', { clientId: TEAM.id, clientSecret: 'x', privateKey: first.pem }),
      /^body\.privateKey is used instead of a secret/,
    );
    assert.match(await why('acme', { ...client, clientSecret: 'x', keyId: 'k' }), /^body\.keyId is only for/);
    const edwards = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    assert.match(await why('acme-full', { ...client, privateKey: edwards }), /signs with EdDSA.* accepts RS256, ES256/);
  });

  test('is listed with the settings it takes, and checked at the provider', async () => {
    const { at } = await stage.newTeam();
    const reply = await stage.ask('GET', '/api/integrations/providers', at.headers);
    const { providers } = JSON.parse(reply.body) as {
      providers: { id: string; privateKey: string; settings: string[] }[];
    };
    const shown = ['acme', 'acme-full', 'github'].map((id) => {
      const { privateKey, settings } = providers.find((one) => one.id === id) ?? assert.fail(id);
      return [id, privateKey, settings[1]];
    });
    assert.deepEqual(shown, [
      ['acme', 'possibly', 'OAUTH_ACME_CLIENT_SECRET'],
      ['acme-full', 'always', 'OAUTH_ACME_FULL_PRIVATE_KEY'],
      ['github', 'never', 'OAUTH_GITHUB_CLIENT_SECRET'],
    ]);
    const { steps } = await stage.app.integrations.checkProvider('acme-full', {});
    assert.ok(
      steps.every(({ state }) => state === 'passed'),
      JSON.stringify(steps),
    );
    const { steps: wrong } = await stage.app.integrations.checkProvider('acme-never', {});
    assert.match(wrong.find(({ name }) => name === 'wrong code')?.detail ?? '', /private key/);
  });
});
