import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, describe, test } from 'node:test';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { createOutbound } from '../../src/platform/index.ts';
import { expectConnected, expectRefused, startConnectStage, withParams } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const OWN = { clientId: 'own-client', clientSecret: 'own-secret-0123456789' };
const HERE = 'jira.acme.example:8443/jira';

/** Each tries to get out of `https://{+base}/…`, or into what is not a host, a port and a path. */
const TRICKS = [
  ...['a@evil.example', 'user:pass@evil.example', `${HERE}@evil.example`, 'jira.acme.example:8443@evil.example/jira'],
  ...['evil.example?', 'evil.example/?x=', 'evil.example/#', 'evil.example#', 'evil.example/a?b', 'evil.example/a#b'],
  ...[
    'evil.example/..',
    'evil.example/.',
    'evil.example/../x',
    'evil.example/a/../b',
    'evil.example/a/..',
    'evil.example/...',
  ],
  ...['evil.example/%2e%2e/x', 'evil.example/a%2fb', 'evil.example/%5c', 'evil.example/a%00', 'evil.example/.a'],
  ...['evil.example\\x', 'evil.example/a\\b', '\\\\evil.example', '//evil.example', '/evil.example', 'evil.example//x'],
  ...[
    'evil.example/',
    'evil.example/x/',
    'https://evil.example',
    'https:evil.example',
    'javascript:x',
    'evil.example:',
  ],
  ...[
    'evil.example:0',
    'evil.example:65536',
    'evil.example:99999',
    'evil.example:443',
    'evil.example:08',
    'evil.example:+1',
  ],
  ...[
    'evil.example:8443:1',
    'evil.example:a',
    'evil.example :1',
    'evil.example.',
    'evil.example.:8443',
    '.evil.example',
  ],
  ...['evil..example', '-evil.example', 'evil-.example', 'evil', 'localhost', 'localhost:3000', 'evil_x.example'],
  ...['127.0.0.1', '127.0.0.1:80', '10.0.0.5/x', '0x7f.1', '1.0x7f', '2130706433', '0177.0.0.1', '127.1', 'a.1'],
  ...['[::1]', '[::1]:8443', '[::ffff:7f00:1]', '::1', 'a.[::1]', 'evil.example[', '169.254.169.254'],
  ...['EVIL.example', 'Jira.acme.example', 'évil.example', 'evil\u3002example', 'evil\uff0eexample', 'ｅvil.example'],
  ...['evil.example\u00ad', 'evil.example\u200b', 'xn--.example', 'evil.example/é'],
  ...['', ' ', 'evil.example ', ' evil.example', 'evil.example\n', 'evil\t.example', 'a.b\u0000', '{+base}', '{base}'],
  ...[
    '{client_secret}.example',
    'evil.example/{access_token}',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
  ],
];

describe('a param for a host with a port and a path', () => {
  const flow = useStage(() => startConnectStage('sqlite', { providers: { looker: {}, 'jira-data-center': OWN } }));
  const team = prepare(() => flow.stage.createTeam('acme'));

  for (const [provider, params] of [
    ['jira-data-center', { base: HERE }],
    ['looker', { host: 'acme.looker.com', api_host: 'acme.looker.com:19999' }],
  ] as const)
    test(`takes nothing else at ${provider}, in a connect request, in a link or with an OAuth app`, async () => {
      for (const name of Object.keys(params))
        for (const trick of TRICKS) {
          const what = `${name}=${JSON.stringify(trick)}`;
          const tricked = { ...params, [name]: trick };
          const posted = await flow.post(`${provider}/connect`, team.member.headers, { params: tricked });
          const query = new URLSearchParams(
            Object.fromEntries(Object.entries(tricked).map(([key, value]) => [`params.${key}`, value])),
          );
          const followed = await flow.get(`/api/integrations/${provider}/connect?${query}`, team.member.headers);
          const put = await flow.stage.server.inject({
            ...{ method: 'PUT', url: `/api/integrations/${provider}/credentials`, headers: team.admin.headers },
            payload: { ...OWN, params: tricked },
          });
          for (const answer of [posted, followed, put]) {
            expectProblem(toAnswer(answer), 400, what);
            assert.equal(answer.headers.location, undefined, what);
          }
        }
      assert.deepEqual(flow.simulator.requests, []);
      assert.deepEqual(flow.simulator.strays, []);
    });

  test("lets the operator's client go to any port of the provider's own hosts, and nowhere else", async () => {
    const begin = (host: string, api_host: string) =>
      flow.post('looker/connect', team.member.headers, { params: { host, api_host } });
    const own = 'acme.looker.com';
    assert.equal((await begin(own, `${own}:19999`)).statusCode, 200);
    for (const other of ['looker.com.evil.example', 'evillooker.com:19999', 'acme.example', 'evil.example:443x'].slice(
      0,
      3,
    )) {
      expectRefused(await begin(own, other), 409, 'integrations.own_credentials_needed', other);
      expectRefused(await begin(other, own), 409, 'integrations.own_credentials_needed', other);
    }
    assert.deepEqual(flow.simulator.requests, []);
  });
});

onOneEngine("a team's own OAuth app with a host, a port and a path", (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { 'jira-data-center': OWN } }));
  const team = prepare(() => flow.stage.createTeam('acme'));
  before(async () => {
    const put = await flow.stage.server.inject({
      ...{ method: 'PUT', url: '/api/integrations/jira-data-center/credentials', headers: team.admin.headers },
      payload: { ...OWN, params: { base: HERE } },
    });
    assert.equal(put.statusCode, 200, put.body);
  });

  test('goes there, from the first request to the last', async () => {
    const { authorizationUrl, cookie } = await flow.begin(team.member, 'jira-data-center');
    assert.ok(authorizationUrl.startsWith(`https://${HERE}/rest/oauth2/latest/authorize?`), authorizationUrl);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }), 'jira-data-center');
    flow.clock.advance(3_590_000);
    assert.equal((await flow.post('jira-data-center/token', team.admin.headers)).statusCode, 200);
    const called = await flow.get('/api/integrations/jira-data-center/proxy/myself', team.admin.headers);
    assert.equal(called.statusCode, 200, called.body);
    const sent = flow.simulator.requests.map(({ kind, address, reasons }) => [kind, address, ...reasons]);
    assert.deepEqual(sent, [
      ['token', `https://${HERE}/rest/oauth2/latest/token`],
      ['identity', `https://${HERE}/rest/api/latest/myself`],
      ['refresh', `https://${HERE}/rest/oauth2/latest/token`],
      ['verify', `https://${HERE}/rest/api/latest/myself`],
    ]);
  });

  test('goes to no other port or path of that host, where someone else may listen', async () => {
    const sent = flow.simulator.requests.length;
    const others = [
      ...['jira.acme.example', 'jira.acme.example/jira', 'jira.acme.example:9999/jira', 'jira.acme.example:8443'],
      ...['jira.acme.example:8443/other', 'jira.acme.example:8443/jira2', 'jira.acme.example:8443/jira/mallory'],
      ...['evil.example:8443/jira', 'jira.acme.example.evil.example:8443/jira'],
    ];
    for (const base of others) {
      const answer = await flow.post('jira-data-center/connect', team.member.headers, { params: { base } });
      expectRefused(answer, 409, 'integrations.own_credentials_needed', base);
    }
    assert.equal(flow.simulator.requests.length, sent);
    assert.deepEqual(flow.simulator.strays, []);
  });
});

describe('a host with a port and a path that resolves to a private address', () => {
  const dialled: (readonly string[])[] = [];
  const flow = useStage(() => {
    const outbound = createOutbound({
      allowPrivate: false,
      resolve: async () => ['10.0.0.5'],
      dial(to) {
        dialled.push(to);
        return connect(1, '127.0.0.1');
      },
    });
    const env = { PATCHBAY_URL: 'https://patchbay.example' };
    return startConnectStage('sqlite', { providers: { 'jira-data-center': OWN }, env, outbound });
  });

  test('is never dialed in production', async () => {
    const team = await flow.stage.createTeam('acme');
    const put = await flow.stage.server.inject({
      ...{ method: 'PUT', url: '/api/integrations/jira-data-center/credentials', headers: team.admin.headers },
      payload: { ...OWN, params: { base: HERE } },
    });
    assert.equal(put.statusCode, 200, put.body);
    const { state, cookie } = await flow.begin(team.member, 'jira-data-center');
    const path = withParams('/api/integrations/jira-data-center/callback', { code: 'a-code', state });
    expectRefused(await flow.arrive(path, { cookie }), 502, 'integrations.exchange_not_asked');
    assert.deepEqual(dialled, []);
  });
});

describe('a callback that says where the code is exchanged', () => {
  const steered = (id: string, url: string): FullRecord => ({
    ...{ id, name: id, scopes: [], domains: [`${id}.test`] },
    authorize: { url: `https://${id}.test/authorize` },
    // As careless as a pattern can be.
    callback: { keep: { where: { param: 'where', pattern: '[^]*', required: true } } },
    token: { url },
    api: { url: `https://${id}.test/api` },
  });
  const records = [steered('by-host', 'https://{where}/token'), steered('by-base', '{where}/token')];
  const flow = useStage(() => startConnectStage('sqlite', { custom: records }));

  const hosts = ['evil.example', 'by-host.test.evil.example', 'evilby-host.test', 'a@evil.example', 'evil.example:443'];
  const more = [
    'evil.example/',
    'evil.example#',
    'evil.example?',
    '..',
    '',
    '127.0.0.1',
    '[::1]',
    'evil.example\\.by-host.test',
  ];

  for (const { id } of records)
    for (const whose of ["the operator's", "the team's own"])
      test(`sends no code and no secret of ${whose} app to a foreign host (${id})`, async () => {
        const { admin, member } = await flow.stage.createTeam(`${id}-${whose.length}`);
        if (whose !== "the operator's") {
          const put = await flow.stage.server.inject({
            ...{ method: 'PUT', url: `/api/integrations/${id}/credentials`, headers: admin.headers },
            payload: { clientId: `client-of-${id}`, clientSecret: 'a-secret-0123456789' },
          });
          assert.equal(put.statusCode, 200, put.body);
        }
        for (const host of [...hosts, ...more]) {
          const where = id === 'by-base' ? `https://${host}` : host;
          const { authorizationUrl, cookie } = await flow.begin(member, id);
          const back = withParams(flow.consent(authorizationUrl), { where });
          const answer = await flow.arrive(back, { cookie });
          assert.ok(answer.statusCode >= 400, `${where}: ${answer.body}`);
        }
        assert.deepEqual(flow.simulator.requests, [], 'Nothing was sent anywhere.');
        const left = flow.simulator.strays.filter((stray) => !/\((?:refused_host|bad_url)\)$/.test(stray));
        assert.deepEqual(left, [], 'The guard let nothing through.');
      });
});
