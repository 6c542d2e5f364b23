import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { importNango } from '../../src/imports/nango/import-nango.ts';
import { createNangoClient } from '../../src/imports/nango/nango-client.ts';
import { readNangoProviders } from '../../src/imports/nango/nango-providers.ts';
import { settingsOf } from '../../src/integrations/catalogue/settings-of.ts';
import { CommandRefused, Secret } from '../../src/platform/index.ts';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { startNangoServer } from '../harness/nango-server.ts';
import { only, openNangoStage } from '../harness/nango-stage.ts';
import { OPERATOR, TEAM } from '../harness/oauth-server.ts';
import { useStage } from '../harness/use-stage.ts';

/** Those of Nango's providers whose keys are a user name and a password there. */
const BASIC = ['chargebee', 'jira-basic', 'mailjet'];

onOneEngine('what an import from Nango refuses', (engine) => {
  const stage = useStage(() => openNangoStage(engine));
  afterEach(() => stage.reset());

  test('says of everything else why it cannot be imported', async () => {
    const tags = { organization_id: stage.newCustomer() };
    const grant = await stage.grantOf(stage.newAccount());
    const { refresh_token: _, ...withoutRefresh } = grant;
    const cases: [string, string, string | undefined, Record<string, unknown>][] = [
      ['imports.provider_unknown', 'acme-unheard-of', OPERATOR.id, grant],
      ['imports.provider_left_out', 'pagerduty', OPERATOR.id, grant],
      ['imports.auth_mode', 'acme-full', OPERATOR.id, { type: 'OAUTH1', oauth_token: 'a', oauth_token_secret: 'b' }],
      ['imports.auth_mode', 'acme-full', OPERATOR.id, { type: 'TBA', token_id: 'a', token_secret: 'b' }],
      ['imports.auth_mode', 'acme-full', OPERATOR.id, { type: 'SIGNATURE', username: 'a', password: 'b' }],
      ['imports.auth_mode', 'acme-full', OPERATOR.id, { type: 'APP', access_token: 'a' }],
      ['imports.auth_mode', 'acme-full', OPERATOR.id, { type: 'OF_TOMORROW' }],
      ['imports.no_credentials', 'acme-full', OPERATOR.id, {}],
      ['imports.no_credentials', 'acme-full', OPERATOR.id, { type: 'OAUTH2' }],
      ['imports.nango_app', 'acme-full', '', grant],
      ['integrations.client_differs', 'acme-full', TEAM.id, grant],
      ['integrations.not_configured', 'acme-still', OPERATOR.id, grant],
      ['integrations.grant_ends', 'acme-full', OPERATOR.id, withoutRefresh],
      ['integrations.not_key_based', 'acme-full', OPERATOR.id, { type: 'API_KEY', apiKey: 'a' }],
      ['integrations.key_based', 'keyed', OPERATOR.id, grant],
      ['integrations.not_configured', 'shopify', OPERATOR.id, grant],
    ];
    for (const [index, [, provider, clientId, credentials]] of cases.entries()) {
      stage.nango.integrations.set(`case-${index}`, { provider, ...(clientId !== undefined && { clientId }) });
      stage.nango.add({ connectionId: `c${index}`, integration: `case-${index}`, tags, credentials });
    }
    const results = await stage.run(true);
    assert.deepEqual(
      results.map(({ reason }) => reason?.code),
      cases.map(([code]) => code),
    );
    assert.match(results[10]?.reason?.message ?? '', /"the-team-itself".+Set OAUTH_ACME_FULL_CLIENT_ID/);
    assert.equal(await stage.countRows('connections'), 0);
    const said = JSON.stringify(results);
    for (const secret of [grant.access_token, grant.refresh_token]) assert.ok(!said.includes(secret));
  });

  test('what no longer works in Nango is not taken over', async () => {
    await stage.addGrant(stage.newCustomer(), { expires_at: '2026-01-02T00:00:00.000Z' });
    Object.assign(stage.nango.connections[0] ?? {}, { refreshed: null });
    const { outcome, reason } = await only(stage.run(true));
    assert.deepEqual([outcome, reason?.code], ['refused', 'imports.broken']);
  });

  test('follows all pages, waits as long as Nango says, and tries again', async () => {
    await stage.addGrant(stage.newCustomer());
    const [{ credentials, tags } = { credentials: {} }] = stage.nango.connections;
    for (let index = 1; index < 250; index++)
      stage.nango.add({ connectionId: `c${index}`, integration: 'acme-prod', credentials, ...(tags && { tags }) });
    Object.assign(stage.nango.rules, { tooMany: 2, retryAfterSeconds: 7 });
    const all = await stage.run(false);
    assert.equal(new Set(all.map(({ connectionId }) => connectionId)).size, 250);
    assert.deepEqual(stage.waits, [7_000, 7_000]);
    assert.equal(stage.nango.requests.filter((one) => one.startsWith('GET /connections?')).length, 5);
    assert.equal(stage.nango.requests.filter((one) => one.startsWith('GET /integrations/')).length, 1);
  });

  test('ends with what to do if the key is wrong or may not read credentials, and names no key', async () => {
    await stage.addGrant(stage.newCustomer());
    const refused = (options: Parameters<typeof stage.run>[1], client = stage.clientWith()) =>
      assert.rejects(stage.run(true, options, client), (error: Error) => {
        assert.ok(error instanceof CommandRefused && !error.message.includes(stage.nango.key));
        return /API key/.test(error.message);
      });
    await refused({}, stage.clientWith('wrong'));
    stage.nango.rules.readsCredentials = false;
    await refused({});
    assert.equal(await stage.countRows('connections'), 0);
  });

  test('survives whatever else comes back', async () => {
    await stage.addGrant(stage.newCustomer());
    const bodies = ['', 'not json', '[]', '{"connections":7}', '{"connections":[{"id":"x"}]}', 'null'];
    for (const body of bodies) {
      stage.nango.rules.broken = (response) => void response.writeHead(200).end(body);
      await assert.rejects(stage.run(true), /form that its documentation does not describe/);
    }
    stage.nango.rules.broken = (response) => void response.writeHead(500).end('{"error":{"code":"server_error"}}');
    await assert.rejects(stage.run(true), /status 500 \(server_error\)/);
    assert.deepEqual(stage.waits, [1_000, 2_000, 4_000, 8_000]);
    assert.equal(stage.nango.requests.filter((one) => one.startsWith('GET /connections/')).length, 0);
    stage.nango.rules.broken = (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    await assert.rejects(stage.run(true), /status 302/);
  });

  test('is listed once, even if a page has it twice', async () => {
    const names = { connection_id: 'c', provider: 'unknown', provider_config_key: 'unknown' };
    const twice = Array.from({ length: 2 }, () => ({ id: 1, ...names, created: '2026-01-01T00:00:00.000Z' }));
    stage.nango.rules.broken = (response) => void response.end(JSON.stringify({ connections: twice }));
    assert.equal((await only(stage.run(false))).outcome, 'refused');
  });
});

test('everything that is in both catalogs can be imported', async () => {
  const { providers } = readNangoProviders();
  const oauth = Object.values(providers).filter(({ token }) => token !== undefined);
  const clients = oauth
    .map(({ provider }) => provider)
    .flatMap((id) => settingsOf(id).map((name) => [name, 'of-the-product']));
  const stage = await createTestApp('sqlite', { env: Object.fromEntries(clients) });
  const nango = await startNangoServer();
  try {
    const credentials = {
      ...{ type: 'OAUTH2', access_token: 'a', refresh_token: 'b', raw: { access_token: 'a' } },
    };
    const keys = { apiKey: 'xkeysib-0123456789', username: 'ada', password: '0123456789abcdef' };
    const connectionConfig = {
      ...{ subdomain: 'acme', region: 'eu', hostname: 'login.salesforce.com', realmId: '9341453474484455', dc: 'us6' },
      ...{ instance_url: 'https://acme.my.salesforce.com', api_domain: 'https://acme.pipedrive.com', tenant: 'common' },
      ...{ extension: 'com', 'accounts-server': 'https://accounts.zoho.com' },
    };
    for (const [id, { token }] of Object.entries(providers)) {
      const key = { type: BASIC.includes(id) ? 'BASIC' : 'API_KEY', ...keys };
      nango.integrations.set(id, { provider: id, clientId: 'of-the-product' });
      nango.add({
        ...{ connectionId: id, integration: id, connectionConfig, tags: { organization_id: 'acme' } },
        credentials: token === undefined ? key : credentials,
      });
    }
    const client = createNangoClient(stage.app, { host: nango.host, key: new Secret(nango.key) });
    const options = { apply: false, teamId: null, source: { by: 'owner' } } as const;
    const results = await importNango({ ...stage.app, client }, options, () => undefined);
    assert.ok(results.length > 100);
    assert.deepEqual(
      results.filter(({ outcome }) => outcome !== 'ready').map(({ connectionId, reason }) => [connectionId, reason]),
      [],
    );
  } finally {
    await nango.close();
    await stage.close();
  }
});
