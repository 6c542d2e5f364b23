import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { BROWSER, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { createConnectSession, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

type Person = { headers: Record<string, string> };

const site = (name: string) => ({ id: `cloud-${name}`, name: `Site ${name}`, url: `https://${name}.example` });
const shown = (name: string) => ({ id: `cloud-${name}`, label: `Site ${name}` });
const ofJira = { 'patchbay-host': 'jira' };

onOneEngine('a consent that covers several sites', (engine) => {
  const providers = { atlassian: {}, xero: {}, docusign: {}, github: {} };
  const flow = useStage(() =>
    startConnectStage(engine, { providers, env: { PATCHBAY_RETURN_ORIGINS: 'https://app.example.com' } }),
  );
  let made = 0;
  const newTeam = () => flow.stage.createTeam(`team-${engine}-${++made}`);

  beforeEach(() => flow.simulator.mend());

  /** From now on, Atlassian lists these. */
  const list = (answer: unknown): void => {
    flow.simulator.mend();
    flow.simulator.fail('atlassian', 'sites', { status: 200, answer }, { times: 1_000 });
  };
  const connect = async (person: Person, provider = 'atlassian', account = `person-${++made}`, wish: object = {}) => {
    const { authorizationUrl, cookie } = await flow.begin(person, provider, wish);
    const answer = await flow.arrive(flow.consent(authorizationUrl, { account }), { cookie });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json();
  };
  const statusOf = async ({ headers }: Person, provider = 'atlassian') => {
    flow.clock.advance(1_000);
    const { integrations } = (await flow.get('/api/integrations/status', headers)).json();
    const { site, siteNeeded, status } = integrations.find((one: { provider: string }) => one.provider === provider);
    return { site, siteNeeded, status };
  };
  const sitesOf = ({ headers }: Person, provider = 'atlassian', query = '') =>
    flow.get(`/api/integrations/${provider}/sites${query}`, headers);
  const choose = ({ headers }: Person, id: string, provider = 'atlassian', more: object = {}) =>
    flow.stage.server.inject({
      method: 'PUT',
      url: `/api/integrations/${provider}/site`,
      headers,
      payload: { site: id, ...more },
    });
  const proxy = ({ headers }: Person, path: string, provider = 'atlassian', more: Record<string, string> = {}) =>
    flow.get(`/api/integrations/${provider}/proxy/${path}`, { ...headers, ...more });
  /** Where the last call through the proxy went. */
  const lastCall = (provider = 'atlassian') => flow.simulator.requestsOf(provider, 'site_call').at(-1);

  test('is for the only one at once', async () => {
    const { admin, member } = await newTeam();
    list([site('one')]);
    assert.equal((await connect(member)).siteNeeded, false);
    assert.deepEqual(await statusOf(member), { site: shown('one'), siteNeeded: false, status: 'connected' });
    await proxy(admin, 'of-the-site', 'atlassian', ofJira);
    assert.equal(lastCall()?.address, 'https://api.atlassian.com/ex/jira/cloud-one/of-the-site');
  });

  test('waits for a choice among several, and only requests that need it do', async () => {
    const { admin, member } = await newTeam();
    list([site('one'), site('two')]);
    assert.equal((await connect(member)).siteNeeded, true);
    assert.deepEqual(await statusOf(member), { site: null, siteNeeded: true, status: 'connected' });
    const before = flow.simulator.requests.length;
    const refused = await proxy(admin, 'of-the-site', 'atlassian', ofJira);
    const { detail } = expectRefused(refused, 409, 'integrations.site_missing');
    assert.match(detail, /PUT \/api\/integrations\/atlassian\/site/);
    assert.equal(refused.headers['patchbay-from'], 'patchbay');
    assert.equal(flow.simulator.requests.length, before);
    assert.equal((await proxy(admin, 'me')).statusCode, 200);
  });

  test('tells the page that the person returns to, and offers the choice on ours', async () => {
    const { member } = await newTeam();
    list([site('one'), site('two')]);
    const returned = async (returnTo?: string) => {
      const { authorizationUrl, cookie } = await flow.begin(member, 'atlassian', returnTo ? { returnTo } : {});
      return flow.get(flow.consent(authorizationUrl), { ...BROWSER, cookie });
    };
    const away = await returned('https://app.example.com/done?siteNeeded=old');
    assert.equal(
      away.headers.location,
      'https://app.example.com/done?provider=atlassian&outcome=connected&siteNeeded=true',
    );
    const here = await returned();
    assert.match(here.body, /href="\/integrations\/atlassian\/connections\/default\/site">Choose the site</);
    list([site('one')]);
    assert.doesNotMatch((await returned()).body, /Choose the site/);
  });

  test('can be chosen and changed by a member, who is in the audit log, and stays chosen after a refresh', async () => {
    const { admin, member } = await newTeam();
    list([site('one'), site('two')]);
    await connect(member);
    const listed = await sitesOf(member);
    assert.deepEqual(listed.json(), {
      ...{ provider: 'atlassian', connection: 'default', site: null },
      sites: [shown('one'), shown('two')],
    });
    for (const name of ['two', 'one']) {
      flow.clock.advance(1_000);
      const chosen = await choose(member, `cloud-${name}`);
      assert.equal(chosen.statusCode, 200, chosen.body);
      const { site, siteNeeded, provider, connection } = chosen.json();
      assert.deepEqual(
        { site, siteNeeded, provider, connection },
        {
          ...{ site: shown(name), siteNeeded: false, provider: 'atlassian', connection: 'default' },
        },
      );
      await proxy(admin, 'of-the-site', 'atlassian', ofJira);
      assert.equal(lastCall()?.address, `https://api.atlassian.com/ex/jira/cloud-${name}/of-the-site`);
    }
    assert.deepEqual((await sitesOf(member)).json().site, shown('one'));
    flow.clock.advance(3_600_000);
    assert.equal((await flow.post('atlassian/token', admin.headers)).statusCode, 200);
    assert.equal(flow.simulator.requestsOf('atlassian', 'refresh').length, 1);
    assert.deepEqual((await statusOf(member)).site, shown('one'));
    const { events } = (await flow.get('/api/audit', admin.headers)).json();
    const audited = events.filter(({ action }: { action: string }) => action === 'integration.site');
    assert.deepEqual(
      audited.map(({ detail }: { detail: object }) => detail),
      [
        { connection: 'default', site: 'Site one' },
        { connection: 'default', site: 'Site two' },
      ],
    );
  });

  test('keeps the choice of the same account while it is listed', async () => {
    const { member } = await newTeam();
    list([site('one'), site('two')]);
    await connect(member, 'atlassian', 'ann');
    await choose(member, 'cloud-two');
    list([site('three'), site('two')]);
    assert.equal((await connect(member, 'atlassian', 'ann')).siteNeeded, false);
    assert.deepEqual((await statusOf(member)).site, shown('two'));
    // Nobody knows, so nothing changes.
    flow.simulator.mend();
    flow.simulator.fail('atlassian', 'sites', 'server_error');
    await connect(member, 'atlassian', 'ann');
    assert.deepEqual((await statusOf(member)).site, shown('two'));
    list([site('three'), site('four')]);
    assert.equal((await connect(member, 'atlassian', 'ann')).siteNeeded, true);
    assert.deepEqual(await statusOf(member), { site: null, siteNeeded: true, status: 'connected' });
    await choose(member, 'cloud-three');
    await connect(member, 'atlassian', 'someone else');
    assert.deepEqual((await statusOf(member)).site, null);
    await flow.post('atlassian/disconnect', member.headers);
    assert.deepEqual(await statusOf(member), { site: null, siteNeeded: false, status: 'disconnected' });
  });

  test('is not chosen from the list of a consent that was replaced meanwhile', async () => {
    const { member } = await newTeam();
    await connect(member, 'atlassian', 'ann');
    const asked = () => flow.simulator.requestsOf('atlassian', 'sites').length;
    const before = asked();
    const replaced = Promise.withResolvers<void>();
    flow.simulator.fail('atlassian', 'sites', { until: replaced.promise });
    const choosing = choose(member, flow.simulator.sitesOf('atlassian')[0]?.id ?? '');
    await waitUntil('it is asked for them', () => asked() > before);
    flow.clock.advance(1_000);
    await connect(member, 'atlassian', 'ann').finally(replaced.resolve);
    expectRefused(await choosing, 503, 'integrations.connection_busy');
    assert.deepEqual(await statusOf(member), { site: null, siteNeeded: true, status: 'connected' });
  });

  test('refuses a site that the provider does not list, and changes nothing', async () => {
    const { member } = await newTeam();
    list([site('one'), site('two')]);
    await connect(member);
    await choose(member, 'cloud-one');
    for (const id of ['cloud-three', 'cloud-', 'Site two', '__proto__'])
      expectRefused(await choose(member, id), 422, 'integrations.site_unknown', id);
    for (const payload of [{}, { site: '' }, { site: 1 }, { site: 'x'.repeat(301) }, { site: 'cloud-two', more: 1 }]) {
      const url = '/api/integrations/atlassian/site';
      const { headers } = member;
      const answer = await flow.stage.server.inject({ method: 'PUT', url, headers, payload });
      assert.equal(answer.statusCode, 400, JSON.stringify(payload));
    }
    assert.deepEqual((await statusOf(member)).site, shown('one'));
  });

  test("is nobody else's, and follows the name of the connection", async () => {
    const { member } = await newTeam();
    const stranger = await newTeam();
    list([site('one'), site('two')]);
    await connect(member, 'atlassian', 'ann', { connection: 'work' });
    await connect(member, 'atlassian', 'bob', { connection: 'home' });
    expectRefused(await sitesOf(stranger.member), 409, 'integrations.not_connected');
    expectRefused(await choose(stranger.admin, 'cloud-one'), 409, 'integrations.not_connected');
    expectRefused(await sitesOf(member), 409, 'integrations.connection_ambiguous');
    expectRefused(await choose(member, 'cloud-one'), 409, 'integrations.connection_ambiguous');
    assert.equal((await sitesOf(member, 'atlassian', '?connection=work')).json().connection, 'work');
    assert.equal((await choose(member, 'cloud-two', 'atlassian', { connection: 'home' })).json().connection, 'home');
    expectRefused(await sitesOf(member, 'nowhere'), 404, 'integrations.provider_unknown');
    for (const provider of ['github', 'brevo']) {
      expectRefused(await sitesOf(member, provider), 409, 'integrations.no_sites', provider);
      expectRefused(await choose(member, 'x', provider), 409, 'integrations.no_sites', provider);
    }
    assert.equal((await flow.get('/api/integrations/atlassian/sites')).statusCode, 401);
  });

  test("is chosen in the browser of a customer's user, for the session's providers", async () => {
    await putCustomer(flow.stage, `customer-${engine}`);
    const session = await createConnectSession(flow.stage, `customer-${engine}`, { providers: ['atlassian'] });
    list([site('one'), site('two')]);
    await connect(session);
    assert.equal((await choose(session, 'cloud-two')).statusCode, 200);
    const other = await createConnectSession(flow.stage, `customer-${engine}`, { providers: ['xero'] });
    expectRefused(await sitesOf(other), 403, 'operator.session_provider');
    expectRefused(await choose(other, 'cloud-one'), 403, 'operator.session_provider');
  });

  test('says whose fault it is if nothing is listed', async () => {
    const { member } = await newTeam();
    const fail = (fault: Parameters<typeof flow.simulator.fail>[2]) => {
      flow.simulator.mend();
      flow.simulator.fail('atlassian', 'sites', fault);
    };
    fail('server_error');
    assert.equal((await connect(member)).siteNeeded, true);
    for (const fault of ['server_error', 'no_answer', 'html', { retryAfterSeconds: 30 }] as const) {
      fail(fault);
      const answer = await sitesOf(member);
      expectRefused(answer, 503, 'integrations.sites_unavailable', JSON.stringify(fault));
      assert.equal(answer.headers['retry-after'], typeof fault === 'object' ? '30' : '5');
    }
    for (const status of [403, 404]) {
      fail({ status, answer: { message: 'secret words' } });
      const { detail } = expectRefused(await sitesOf(member), 502, 'integrations.sites_refused', String(status));
      assert.doesNotMatch(detail, /secret words/);
    }
    list([]);
    assert.deepEqual((await sitesOf(member)).json().sites, []);
    expectRefused(await choose(member, 'cloud-one'), 422, 'integrations.site_unknown');
  });

  test('is listed with a new token if the provider refuses the old one', async () => {
    const { member } = await newTeam();
    await connect(member);
    flow.clock.advance(120_000);
    const refreshes = () => flow.simulator.requestsOf('atlassian', 'refresh').length;
    const before = refreshes();
    flow.simulator.fail('atlassian', 'sites', { status: 401, answer: { message: 'Unauthorized' } });
    const answer = await sitesOf(member);
    assert.equal(answer.statusCode, 200, answer.body);
    assert.equal(answer.json().sites.length, 2);
    assert.equal(refreshes(), before + 1);
  });

  test('is listed once, with a name that can be shown, and not endlessly', async () => {
    const { member } = await newTeam();
    const odd = [
      { ...site('one'), name: `\u202e<b>One</b>\n${'x'.repeat(500)}` },
      { ...site('one'), name: 'the same site, for another product' },
      { ...site('two'), name: '' },
      { ...site('three'), id: 'cloud\u0000three' },
      { ...site('four'), id: 'x'.repeat(201) },
      { ...site('five'), id: { id: 'deep' } },
      ...[null, 1, 'cloud-six', [], {}, { name: 'without an id' }],
      { id: 7, name: ['not a text'] },
      { id: 2 ** 53, name: 'as it was sent' },
    ];
    list(odd);
    assert.equal((await connect(member)).siteNeeded, true);
    assert.deepEqual((await sitesOf(member)).json().sites, [
      { id: 'cloud-one', label: `<b>One</b>${'x'.repeat(190)}` },
      { id: 'cloud-two', label: 'cloud-two' },
      { id: '7', label: '7' },
      { id: '9007199254740992', label: 'as it was sent' },
    ]);
    list(Array.from({ length: 4_000 }, (_, index) => ({ id: `cloud-${index}`, name: 'n' })));
    assert.equal((await sitesOf(member)).json().sites.length, 1_000);
    expectRefused(await choose(member, 'cloud-1000'), 422, 'integrations.site_unknown');
    list(Array.from({ length: 200_000 }, () => 0));
    assert.deepEqual((await sitesOf(member)).json().sites, []);
    flow.simulator.mend();
    flow.simulator.fail('atlassian', 'sites', 'huge_body', { times: 1_000 });
    expectRefused(await sitesOf(member), 503, 'integrations.sites_unavailable');
    for (const answer of [{ sites: [] }, 'text', { length: 3 }]) {
      list(answer);
      expectRefused(await sitesOf(member), 503, 'integrations.sites_unavailable', JSON.stringify(answer));
    }
  });

  test("sends no token to a host that is not the provider's, whatever a site says", async () => {
    const { admin, member } = await newTeam();
    const accounts = [
      { account_id: 'a1', account_name: 'Good', base_uri: 'https://na4.docusign.net', is_default: true },
      { account_id: 'a2', account_name: 'Evil', base_uri: 'https://evil.example', is_default: false },
      { account_id: 'a3', account_name: 'Without an address', is_default: false },
    ];
    flow.simulator.fail('docusign', 'identity', { status: 200, answer: { email: 'a@b', accounts } }, { times: 1_000 });
    assert.equal((await connect(member, 'docusign')).siteNeeded, true);
    expectRefused(await proxy(admin, 'of-the-site', 'docusign'), 409, 'integrations.site_missing');
    assert.deepEqual((await sitesOf(member, 'docusign')).json().sites, [
      { id: 'a1', label: 'Good' },
      { id: 'a2', label: 'Evil' },
    ]);
    assert.equal((await choose(member, 'a2', 'docusign')).statusCode, 200);
    expectRefused(await proxy(admin, 'of-the-site', 'docusign'), 409, 'proxy.host_refused');
    await choose(member, 'a1', 'docusign');
    await proxy(admin, 'of-the-site', 'docusign');
    assert.equal(lastCall('docusign')?.address, 'https://na4.docusign.net/restapi/v2.1/accounts/a1/of-the-site');
    assert.deepEqual(flow.simulator.strays, []);
  });

  test('leaves alone what a caller says, and hosts that need no site', async () => {
    const { admin, member } = await newTeam();
    assert.equal((await connect(member, 'xero')).siteNeeded, true);
    expectRefused(await proxy(admin, 'of-the-site', 'xero'), 409, 'integrations.site_missing');
    await proxy(admin, 'of-the-site', 'xero', { 'xero-tenant-id': 'mine' });
    assert.equal(lastCall('xero')?.headers['xero-tenant-id'], 'mine');
    await proxy(admin, 'connections', 'xero', { 'patchbay-host': 'identity' });
    assert.equal(flow.simulator.requestsOf('xero', 'verify').at(-1)?.headers['xero-tenant-id'], undefined);
    const last = flow.simulator.sitesOf('xero').at(-1)?.id ?? '';
    await choose(member, last, 'xero');
    await proxy(admin, 'of-the-site', 'xero');
    assert.equal(lastCall('xero')?.headers['xero-tenant-id'], last);
  });

  test('goes on as before for a connection from before there was a choice, also when it is reconnected', async () => {
    const { admin, member } = await newTeam();
    const forget = () =>
      flow.stage.app.database.run('update connections set site = null where team_id = $1', [member.user.teamId]);
    await connect(member, 'xero', 'tenant-one');
    await forget();
    assert.deepEqual(await statusOf(member, 'xero'), { site: null, siteNeeded: false, status: 'connected' });
    await proxy(admin, 'of-the-site', 'xero');
    assert.equal(lastCall('xero')?.headers['xero-tenant-id'], 'tenant-one');
    assert.equal((await connect(member, 'xero', 'tenant-one')).siteNeeded, false);
    assert.equal((await statusOf(member, 'xero')).site.id, 'tenant-one');
    // There was nothing to go on with here.
    list([site('one'), site('two')]);
    await connect(member);
    await forget();
    assert.deepEqual(await statusOf(member), { site: null, siteNeeded: true, status: 'connected' });
  });
});

/** On SQLite, there is only one writer at a time. */
describe('a site that is chosen while its connection is refreshed', () => {
  const flow = useStage(() => startConnectStage('postgresql', { providers: { atlassian: {} } }));

  test('is chosen', async () => {
    const { database } = flow.stage.app;
    const { team, member } = await flow.stage.createTeam('refreshed');
    const answer = [site('one'), site('two')];
    flow.simulator.fail('atlassian', 'sites', { status: 200, answer }, { times: 1_000 });
    const { authorizationUrl, cookie } = await flow.begin(member, 'atlassian');
    assert.equal((await flow.arrive(flow.consent(authorizationUrl), { cookie })).statusCode, 200);
    const [written, waits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const refreshing = database.transaction(async (tx) => {
      await tx.run('update connections set generation = generation + 1 where team_id = $1', [team.id]);
      written.resolve();
      await waits.promise;
    });
    await written.promise;
    const { headers } = member;
    const payload = { site: 'cloud-two' };
    const put = { method: 'PUT', url: '/api/integrations/atlassian/site', headers, payload } as const;
    const choosing = flow.stage.server.inject(put).then((done) => done);
    const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await waitUntil('the choice waits for the refresh', async () => (await database.all(waiting)).length > 0);
    waits.resolve();
    await refreshing;
    assert.equal((await choosing).statusCode, 200);
    const { integrations } = (await flow.get('/api/integrations/status', headers)).json();
    const chosen = integrations.find((one: { provider: string }) => one.provider === 'atlassian');
    assert.deepEqual(chosen.site, shown('two'));
  });
});
