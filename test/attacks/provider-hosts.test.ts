import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, describe, test } from 'node:test';
import { createOutbound } from '../../src/platform/index.ts';
import { expectConnected, expectRefused, startConnectStage, withParams } from '../harness/connect-flow.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const OPERATOR = {
  OAUTH_GITLAB_CLIENT_ID: 'operator-client',
  OAUTH_GITLAB_CLIENT_SECRET: 'operator-secret-0123456789',
};
const OWN = { clientId: 'own-client', clientSecret: 'own-secret-0123456789' };

/** Each escapes the host it is put into, or tries to. */
const BREAKOUTS = [
  ...['evil.example/', 'evil.example#', 'evil.example?', 'evil.example\\', 'evil.example:443', 'a@evil.example'],
  ...['..', '.', '', ' ', '-', 'a b', 'a\tb', 'a\n', '\na', 'a\u0000', 'a%2fb', 'a%00', '%2e%2e', '//evil.example'],
  ...[
    'evil.example/.',
    'https://evil.example',
    'evil\u3002example',
    'evil\uff0eexample',
    'ｅvil.example',
    'évil.example',
  ],
  ...['EVIL.EXAMPLE', 'Acme', '{access_token}', '{client_secret}', '$x', '127.0.0.1', '[::1]', '0x7f.1'],
  ...['../../x', 'a'.repeat(64), 'a'.repeat(300), 'undefined.', '.evil.example', 'evil..example'],
];

/** What the entry has for a host: a whole name, or the one label before its own domain. */
const TEMPLATED: Record<string, { param: string; good: string; bad: string[] }> = {
  shopify: { param: 'shop', good: 'my-store', bad: ['a.b', 'evil.example', '-a', 'a_b', 'my-store.myshopify.com'] },
  zoho: { param: 'dc', good: 'eu', bad: ['com.evil.example', 'evil', 'eu.', '.eu', 'comx', 'com,eu', 'zz'] },
  gitlab: { param: 'hostname', good: 'gitlab.com', bad: ['localhost', '2130706433', 'a', '10.0.0.1.', 'gitlab.com.'] },
  salesforce: {
    param: 'hostname',
    good: 'acme.my.salesforce.com',
    bad: [
      ...['evil.example', 'salesforce.com.evil.example', 'evilsalesforce.com', 'salesforce.com', 'force.com'],
      ...['acme.lightning.force.com', 'lightning.force.com', 'a.b.lightning.force.com', 'login.salesforce.com.'],
    ],
  },
};

describe('params that try to point to another host', () => {
  const flow = useStage(() => {
    const providers = Object.fromEntries(Object.keys(TEMPLATED).map((id) => [id, {}]));
    return startConnectStage('sqlite', { providers });
  });
  const team = prepare(() => flow.stage.createTeam('acme'));

  for (const [provider, { param, good, bad }] of Object.entries(TEMPLATED))
    test(`are refused by ${provider}, in the body and in the link`, async () => {
      for (const value of [...BREAKOUTS, ...bad]) {
        const what = `${param}=${JSON.stringify(value)}`;
        const posted = await flow.post(`${provider}/connect`, team.member.headers, { params: { [param]: value } });
        const query = new URLSearchParams({ [`params.${param}`]: value });
        const followed = await flow.get(`/api/integrations/${provider}/connect?${query}`, team.member.headers);
        for (const answer of [posted, followed]) {
          expectProblem(toAnswer(answer), 400, what);
          assert.equal(answer.headers.location, undefined, what);
        }
      }
      await flow.begin(team.member, provider, { params: { [param]: good } });
    });

  test('are refused if the provider has no such param, or the name is invalid', async () => {
    for (const name of [
      '__proto__',
      'constructor',
      'hostname',
      'access_token',
      'client_secret',
      'accounts_server',
      'a-b',
      '',
    ]) {
      const payload = JSON.parse(`{"params":{"shop":"my-store","${name}":"evil.example"}}`);
      const answer = await flow.post('shopify/connect', team.member.headers, payload);
      expectProblem(toAnswer(answer), 400, name);
    }
    const answer = await flow.post('zoho/connect', team.member.headers, {
      params: { accounts_server: 'https://evil.example' },
    });
    expectRefused(answer, 400, 'integrations.params_invalid');
  });
});

describe("the operator's client", () => {
  const flow = useStage(() => startConnectStage('sqlite', { providers: { gitlab: OWN }, env: OPERATOR }));
  const team = prepare(() => flow.stage.createTeam('acme'));

  const begin = (hostname: string) => flow.post('gitlab/connect', team.member.headers, { params: { hostname } });

  const setOwn = async (method: 'PUT' | 'DELETE') => {
    const answer = await flow.stage.server.inject({
      method,
      url: '/api/integrations/gitlab/credentials',
      headers: team.admin.headers,
      ...(method === 'PUT' ? { payload: { ...OWN, params: { hostname: 'git.acme.example' } } } : {}),
    });
    assert.ok(answer.statusCode < 300, answer.body);
  };

  const expectOperatorUnseen = () => {
    const sent = JSON.stringify(flow.simulator.requests);
    for (const secret of Object.values(OPERATOR)) assert.ok(!sent.includes(secret));
  };

  test('is not shown to a host that is not the provider’s own, not even its id', async () => {
    const hosts = ['gitlab.evil.example', 'gitlab.com.evil.example', 'evilgitlab.com', 'gitlab.co', 'git.acme.example'];
    for (const hostname of hosts) {
      expectRefused(await begin(hostname), 409, 'integrations.own_credentials_needed', hostname);
      const url = `/api/integrations/gitlab/connect?params.hostname=${hostname}`;
      const followed = await flow.get(url, team.member.headers);
      expectRefused(followed, 409, 'integrations.own_credentials_needed', hostname);
      assert.equal(followed.headers.location, undefined);
    }
    const { authorizationUrl } = (await begin('gitlab.com')).json();
    assert.equal(new URL(authorizationUrl).searchParams.get('client_id'), 'operator-client');
  });

  test("stays at home where the team's own goes to the team's own host", async () => {
    await setOwn('PUT');
    const { authorizationUrl, cookie } = await flow.begin(team.member, 'gitlab', {
      params: { hostname: 'git.acme.example' },
    });
    assert.equal(new URL(authorizationUrl).origin, 'https://git.acme.example');
    assert.equal(new URL(authorizationUrl).searchParams.get('client_id'), OWN.clientId);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }), 'gitlab');
    const [sent] = flow.simulator.requestsOf('gitlab', 'token');
    assert.equal(sent?.address, 'https://git.acme.example/oauth/token');
    assert.equal(sent?.params['client_secret'], OWN.clientSecret);
    expectOperatorUnseen();
  });

  test("is not lured, and neither is the team's own, to a host that only a connect request names", async () => {
    await setOwn('PUT');
    const before = flow.simulator.requests.length;
    for (const hostname of ['git.evil.example', 'git.acme.example.evil.example', 'evil.example']) {
      const answer = await begin(hostname);
      assert.equal(answer.statusCode, 409, answer.body);
      assert.equal(answer.json().code, 'integrations.own_credentials_needed');
    }
    assert.equal(flow.simulator.requests.length, before);
  });

  test("does not step in where the team's own was taken away on the way", async () => {
    await setOwn('PUT');
    const { authorizationUrl, cookie } = await flow.begin(team.member, 'gitlab', {
      params: { hostname: 'git.acme.example' },
    });
    const back = flow.consent(authorizationUrl);
    await setOwn('DELETE');
    const before = flow.simulator.requests.length;
    const answer = await flow.arrive(back, { cookie });
    assert.ok(answer.statusCode >= 400, answer.body);
    assert.equal(flow.simulator.requests.length, before);
    expectOperatorUnseen();
  });
});

describe("the operator's client of a provider whose customers run code of their own", () => {
  const chosen: Record<string, Record<string, string>> = {
    odoo: { hostname: 'evil.odoo.com' },
    servicenow: { subdomain: 'evil' },
    wildix: { subdomain: 'evil' },
  };
  const flow = useStage(() => {
    const providers = Object.fromEntries(Object.keys(chosen).map((id) => [id, OWN]));
    return startConnectStage('sqlite', { providers });
  });
  const team = prepare(() => flow.stage.createTeam('acme'));

  for (const [provider, params] of Object.entries(chosen))
    test(`isn't sent to a host that a connect request names, although it's under the provider's domain: ${provider}`, async () => {
      const refused = await flow.post(`${provider}/connect`, team.member.headers, { params });
      expectRefused(refused, 409, 'integrations.own_credentials_needed', provider);
      const put = await flow.stage.server.inject({
        ...{ method: 'PUT', url: `/api/integrations/${provider}/credentials`, headers: team.admin.headers },
        payload: { ...OWN, params },
      });
      assert.equal(put.statusCode, 200, put.body);
      await flow.begin(team.member, provider, { params });
    });
});

describe("a team's own host", () => {
  const dialled: (readonly string[])[] = [];
  let addresses: string[] = [];
  const flow = useStage(() => {
    const outbound = createOutbound({
      allowPrivate: false,
      resolve: async () => addresses,
      dial(to) {
        dialled.push(to);
        return connect(1, '127.0.0.1');
      },
    });
    const env = { PATCHBAY_URL: 'https://patchbay.example' };
    return startConnectStage('sqlite', { providers: { gitlab: OWN }, env, outbound });
  });
  const team = prepare(() => flow.stage.createTeam('acme'));
  before(async () => {
    const put = await flow.stage.server.inject({
      method: 'PUT',
      url: '/api/integrations/gitlab/credentials',
      headers: team.admin.headers,
      payload: { ...OWN, params: { hostname: 'git.acme.example' } },
    });
    assert.equal(put.statusCode, 200, put.body);
  });

  test('is refused in production if its name resolves to a private address, and never dialed', async () => {
    const inside = [
      ...['10.0.0.5', '127.0.0.1', '192.168.1.1', '172.16.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
      ...['::1', 'fd00::1', 'fe80::1', '::ffff:10.0.0.1', '64:ff9b::a00:1'],
    ];
    for (const address of inside) {
      addresses = [address];
      const { state, cookie } = await flow.begin(team.member, 'gitlab', { params: { hostname: 'git.acme.example' } });
      const path = withParams('/api/integrations/gitlab/callback', { code: 'a-code', state });
      expectRefused(await flow.arrive(path, { cookie }), 502, 'integrations.exchange_not_asked', address);
    }
    assert.deepEqual(dialled, []);
  });
});

describe('a host named by the callback or the token response', () => {
  const kept = { api_domain: 'https://evil.example', access_url: 'https://evil.example' };
  const flow = useStage(() => {
    const providers = { zoho: { kept }, pipedrive: { kept }, surveymonkey: { kept } };
    return startConnectStage('sqlite', { providers });
  });
  let turn = 0;

  const expectNothingAbroad = () => {
    const { requests, strays } = flow.simulator;
    const sent = requests.map(({ kind, address }) => `${kind} ${address}`);
    // What the guard refused was never sent.
    const left = [...sent, ...strays.filter((stray) => !stray.endsWith('(refused_host)'))];
    assert.deepEqual(
      left.filter((one) => one.includes('evil')),
      [],
    );
  };

  test('is refused if the entry does not allow it, and the code goes nowhere', async () => {
    const { member } = await flow.stage.createTeam(`team${turn++}`);
    const servers = [
      ...['https://evil.example', 'https://accounts.zoho.com.evil.example', 'http://accounts.zoho.com'],
      ...['https://accounts.zoho.com@evil.example', 'https://accounts.zoho.com:8443', 'https://accounts.zoho.com/'],
      ...[
        'https://accounts.zoho.com/../x',
        'https://accounts.zoho.com#',
        'https://accounts.zoho.com?',
        'accounts.zoho.com',
      ],
      ...['https://accountsxzoho.com', 'https://accounts.zoho.com\n', ' https://accounts.zoho.com', 'https://zoho.com'],
      ...['HTTPS://ACCOUNTS.ZOHO.COM', 'https://accounts.zoho.evil', 'https://accounts.zoho.com,https://evil.example'],
    ];
    for (const server of servers) {
      const { authorizationUrl, cookie } = await flow.begin(member, 'zoho');
      const before = flow.exchanges();
      const back = withParams(flow.consent(authorizationUrl), { 'accounts-server': server });
      expectRefused(await flow.arrive(back, { cookie }), 400, 'integrations.callback_malformed', server);
      assert.equal(flow.exchanges(), before, server);
    }
  });

  for (const provider of ['zoho', 'pipedrive', 'surveymonkey'])
    for (const whose of ["the operator's", "the team's own"])
      test(`receives nothing of ${whose} client at ${provider}: neither identity nor revocation requests go there`, async () => {
        flow.simulator.requests.length = 0;
        flow.simulator.strays.length = 0;
        const { admin, member } = await flow.stage.createTeam(`team${turn++}`);
        if (whose !== "the operator's") {
          const [clientId, clientSecret] = ['ID', 'SECRET'].map(
            (part) => flow.settings[`OAUTH_${provider.toUpperCase()}_CLIENT_${part}`],
          );
          const put = await flow.stage.server.inject({
            method: 'PUT',
            url: `/api/integrations/${provider}/credentials`,
            headers: admin.headers,
            payload: { clientId, clientSecret },
          });
          assert.equal(put.statusCode, 200, put.body);
        }
        const { authorizationUrl, cookie } = await flow.begin(member, provider);
        await flow.arrive(flow.consent(authorizationUrl), { cookie });
        expectNothingAbroad();
        await flow.post(`${provider}/token`, admin.headers);
        await flow.post(`${provider}/disconnect`, member.headers);
        expectNothingAbroad();
      });
});
