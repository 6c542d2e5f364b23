import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { expectConnected, readRecord, startConnectStage } from '../harness/connect-flow.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const LONG = 'a'.repeat(2_000);

/** What the identity response says about where the API is. */
const HOSTILE: Record<string, { name: string; values: string[] }> = {
  docusign: {
    name: 'base_uri',
    values: [
      ...['https://evil.example', 'https://docusign.net.evil.example', 'https://evildocusign.net', 'https://127.0.0.1'],
      ...['https://na3.docusign.net@evil.example', 'https://evil.example?https://na3.docusign.net', 'https://[::1]'],
      ...['https://na3.docusign.net?', 'https://na3.docusign.net#', 'https://a:b@na3.docusign.net', 'na3.docusign.net'],
      ...['javascript:alert(1)', 'file:///etc/passwd', '//evil.example', '{access_token}', ' ', ''],
      ...['https://na3.docusign.net\n', 'https://na3.docusign.net\u0000', `https://na3.docusign.net/${LONG}`],
    ],
  },
  mailchimp: {
    name: 'dc',
    values: [
      ...['evil.example/', 'evil.example#', 'evil.example?', 'evil.example\\', 'evil.example:443', 'a@evil.example'],
      ...['//evil.example', 'us1%2f', 'us 1', 'évil', 'evil\u3002example', '{access_token}', '', 'us1\n', LONG + LONG],
    ],
  },
};

const vendor: FullRecord = {
  id: 'vendor',
  name: 'Vendor',
  scopes: ['read'],
  params: { region: { about: 'The region', pattern: '[a-z]{2}', example: 'us' } },
  domains: ['vendor.example'],
  authorize: { url: 'https://vendor.example/authorize' },
  token: { url: 'https://vendor.example/token' },
  identity: {
    url: 'https://vendor.example/me',
    id: 'id',
    label: 'id',
    keep: { region: 'where.region', shard: 'where.shard' },
  },
  api: { url: 'https://{shard}.{region}.vendor.example/v1' },
};

/** Says it in every token response. */
const talkative: FullRecord = {
  ...vendor,
  id: 'talkative',
  token: {
    url: 'https://vendor.example/token',
    response: { keep: { region: 'where.region', shard: 'where.shard' } },
  },
  identity: { url: 'https://vendor.example/me', id: 'id', label: 'id' },
  refresh: { rotates: 'never' },
};

/** With several, someone would have to choose first. */
const onlySite = (kept: Record<string, string>) => ({
  email: 'ann@example.com',
  accounts: [{ account_id: 'a1', account_name: 'The only one', is_default: true, ...kept }],
});

describe("the API's address, if the identity response names it", () => {
  const flow = useStage(() =>
    startConnectStage('sqlite', { providers: { docusign: {}, mailchimp: {} }, custom: [vendor, talkative] }),
  );
  const team = prepare(() => flow.stage.createTeam('acme'));

  beforeEach(() => {
    flow.simulator.strays.length = 0;
  });

  const connect = async (record: FullRecord, kept: Record<string, string>, params: Record<string, string> = {}) => {
    const redirectUri = `http://localhost:3000/api/integrations/${record.id}/callback`;
    flow.simulator.add(record, { redirectUri, kept });
    if (record.sites) flow.simulator.fail(record.id, 'identity', { status: 200, answer: onlySite(kept) });
    const { authorizationUrl, cookie } = await flow.begin(team.member, record.id, { params });
    expectConnected(await flow.arrive(flow.consent(authorizationUrl, { params }), { cookie }), record.id);
  };

  const call = (id: string) => flow.get(`/api/integrations/${id}/proxy/things`, team.admin.headers);

  test("is where the token goes, if it's under the entry's domains", async () => {
    await connect(readRecord('docusign'), { base_uri: 'https://na3.docusign.net' });
    await connect(readRecord('mailchimp'), { dc: 'us19' });
    for (const id of ['docusign', 'mailchimp']) expectProblem(toAnswer(await call(id)), 502, id);
    assert.deepEqual(flow.simulator.strays, [
      'https://na3.docusign.net/restapi/v2.1/accounts/a1/things (by the proxy)',
      'https://us19.api.mailchimp.com/3.0/things (by the proxy)',
    ]);
  });

  for (const [id, { name, values }] of Object.entries(HOSTILE))
    test(`leads nowhere else at ${id}, and the connection is made all the same`, async () => {
      for (const value of values) {
        await connect(readRecord(id), { [name]: value });
        const problem = expectProblem(toAnswer(await call(id)), 409, JSON.stringify(value));
        // What can't be a value at all isn't kept, so there is no site.
        assert.match(problem.code, /^proxy\.(?:host_refused|api_unknown)$|\.site_missing$/, JSON.stringify(value));
        assert.ok(!JSON.stringify(problem).includes('evil'), 'The value is nobody’s to see.');
      }
      assert.deepEqual(flow.simulator.strays, []);
    });

  test('does not change what the person gave', async () => {
    await connect(vendor, { region: 'eu', shard: 's1' }, { region: 'us' });
    expectProblem(toAnswer(await call('vendor')), 502, 'vendor');
    assert.deepEqual(flow.simulator.strays, ['https://s1.us.vendor.example/v1/things (by the proxy)']);
  });

  test('does not change what the person gave when the token is refreshed, either', async () => {
    await connect(talkative, { region: 'eu', shard: 's1' }, { region: 'us' });
    const { accessToken } = flow.simulator.issued('talkative');
    flow.clock.advance(2 * 3_600_000);
    expectProblem(toAnswer(await call('talkative')), 502, 'talkative');
    assert.notEqual(flow.simulator.issued('talkative').accessToken, accessToken, 'It was refreshed.');
    assert.deepEqual(flow.simulator.strays, ['https://s1.us.vendor.example/v1/things (by the proxy)']);
  });
});
