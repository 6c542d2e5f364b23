import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asCustomer, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openProxyStage, problemIn } from '../harness/proxy-stage.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

const PROVIDER = 'acme-full';
const DAY_MS = 24 * 3_600_000;

onOneEngine('a request for a restricted token', (engine) => {
  const origin = 'https://product.example';
  const stage = useStage(() => openProxyStage(engine, {}, { PATCHBAY_RETURN_ORIGINS: origin }));

  const ask = async (headers: Record<string, string>, body: Record<string, unknown>) => {
    const payload = { name: 'agent', ...body };
    return stage.server.inject({ method: 'POST', url: '/api/tokens', headers, payload });
  };

  test('is refused if the token would have more than its maker', async () => {
    const { member } = await stage.connected();
    const refused = await ask(member.headers, { can: ['calls'], allow: [{ provider: PROVIDER }] });
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'http.admin_only']);
    assert.equal((await ask(member.headers, { can: ['calls'] })).statusCode, 201);
  });

  test('is refused if it comes from a restricted token', async () => {
    const { headers } = await stage.connected();
    const token = await makeToken(stage.server, headers, {
      can: ['status', 'connect', 'calls', 'recordings', 'reports', 'events'],
    });
    for (const body of [{}, { can: [] }, { can: ['status'] }]) {
      const refused = await ask(token, body);
      assert.deepEqual([refused.statusCode, refused.json().code], [403, 'tokens.not_allowed']);
    }
  });

  test('is refused if it can never mean what it says', async () => {
    const { headers } = await stage.connected();
    const long = Array.from({ length: 100 }, (_, at) => `/${'x'.repeat(200)}/${at}`);
    const allowing = (allow: Record<string, unknown>) => ({ allow: [{ provider: PROVIDER, ...allow }] });
    const cases: [string, Record<string, unknown>, number, string][] = [
      ['an unknown right', { can: ['everything'] }, 400, 'http.invalid_input'],
      ['an unknown provider', { allow: [{ provider: 'nowhere' }] }, 404, 'integrations.provider_unknown'],
      ['an unknown host', allowing({ host: 'nowhere' }), 400, 'proxy.host_unknown'],
      ['an unknown connection', allowing({ connection: 'second' }), 409, 'integrations.not_connected'],
      ['two asterisks in the middle', allowing({ paths: ['/a/**/b'] }), 400, 'tokens.pattern_invalid'],
      ['an asterisk in a segment', allowing({ paths: ['/a*'] }), 400, 'tokens.pattern_invalid'],
      ['a query in a pattern', allowing({ paths: ['/a?b'] }), 400, 'tokens.pattern_invalid'],
      ['a pattern without a slash', allowing({ paths: ['user'] }), 400, 'tokens.pattern_invalid'],
      ['no paths at all', allowing({ paths: [] }), 400, 'http.invalid_input'],
      ['101 patterns', allowing({ paths: long.concat('/a') }), 400, 'http.invalid_input'],
      ['20 KB of patterns', allowing({ paths: long }), 400, 'tokens.rights_too_long'],
      ['a method that the proxy does not have', allowing({ methods: ['TRACE'] }), 400, 'http.invalid_input'],
      ['days and minutes', { can: [], expiresInDays: 1, expiresInMinutes: 1 }, 400, 'tokens.time_unclear'],
      ['more than a year', { can: [], expiresInDays: 366 }, 400, 'tokens.time_too_long'],
      ['a return address from a team', { can: ['connect'], returnTo: `${origin}/done` }, 400, 'tokens.rights_unclear'],
    ];
    for (const [what, body, status, code] of cases) {
      const refused = await ask(headers, body);
      assert.deepEqual([refused.statusCode, refused.json().code], [status, code], `${what}: ${refused.body}`);
    }
  });

  test('makes one that expires, and that lists show with its rights', async () => {
    const { headers } = await stage.connected();
    const allow = [{ provider: PROVIDER, connection: 'default', paths: ['/user', '/repos/**'] }];
    const made = await ask(headers, { can: ['status'], allow, expiresInMinutes: 5 });
    assert.equal(made.statusCode, 201, made.body);
    const { createdAt, expiresAt } = made.json();
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 5 * 60_000);
    const nothing = await ask(headers, { can: [], name: 'nothing' });
    assert.equal(Date.parse(nothing.json().expiresAt) - Date.parse(nothing.json().createdAt), 90 * DAY_MS);

    const { tokens } = (await stage.server.inject({ url: '/api/tokens', headers })).json();
    const rights = Object.fromEntries(
      tokens.map(({ name, can, allow: allowed }: never) => [name, { can, allow: allowed }]),
    );
    assert.deepEqual(rights['nothing'], { can: [], allow: [] });
    const [shown] = rights['agent'].allow;
    assert.ok(shown.account.id);
    assert.deepEqual({ ...shown, account: null }, { ...allow[0], account: null, host: null, methods: null });
    assert.deepEqual(rights['agent'].can, ['status']);
    const others = Object.values(rights).filter((one) => (one as { can: unknown }).can === null);
    assert.ok(others.length > 0, 'An unrestricted token has no list of rights.');
  });

  test("of the operator for a customer's user gives it the proxy, and where its connects end", async () => {
    await putCustomer(stage, 'shop');
    const customer = asCustomer('shop', 'ann').headers;
    const rights = { can: ['connect', 'status'], allow: [{ provider: PROVIDER }], returnTo: `${origin}/done` };
    const token = await makeToken(stage.server, customer, rights);
    const sent = await stage.call(stage.proxied('user'), { headers: token });
    assert.deepEqual([sent.status, problemIn(sent)], [409, 'integrations.not_connected'], 'The proxy is open to it.');
    const begun = await stage.server.inject({
      method: 'POST',
      url: `/api/integrations/${PROVIDER}/connect`,
      headers: token,
    });
    assert.equal(begun.statusCode, 200, begun.body);
    const elsewhere = await ask(customer, { ...rights, returnTo: 'https://elsewhere.example/' });
    assert.equal(elsewhere.statusCode, 400, elsewhere.body);
    const foreign = await stage.server.inject({ url: '/api/team', headers: { ...token, 'patchbay-team': 'shop' } });
    assert.equal(foreign.statusCode, 400);
  });
});
