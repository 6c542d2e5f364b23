import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestApp, type Person } from '../harness/app.ts';
import { expectConnected, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { onEachEngine } from '../harness/databases.ts';
import { runTogether } from '../harness/run-together.ts';
import { cookieFrom, makeLinkPath, openSession } from '../harness/sessions.ts';
import { AUTH_TOKEN, newAccountSid } from '../harness/telephony-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const MOST = { members: 4, tokens: 3, sessions: 3, accounts: 2, numbers: 5, connections: 3 };

const env = {
  PATCHBAY_MAX_MEMBERS: String(MOST.members),
  PATCHBAY_MAX_TOKENS: String(MOST.tokens),
  PATCHBAY_MAX_SESSIONS: String(MOST.sessions),
  PATCHBAY_MAX_TELEPHONY_ACCOUNTS: String(MOST.accounts),
  PATCHBAY_MAX_NUMBERS: String(MOST.numbers),
};

type Schema = { type?: string; maximum?: number; properties?: Record<string, Schema> };
type Operation = {
  parameters?: { name: string; schema: Schema }[];
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};

/**
 * Lists that no member of a team can make longer than PATCHBAY_MAX_CONNECTED_ACCOUNTS, the catalogue, ten endpoints,
 * as many alerts as are shown, or a thousand sites, and the operator's.
 */
const BOUNDED = new Set([
  '/api/events/alerts',
  '/api/events/endpoints',
  '/api/operator/events/endpoints',
  '/api/integrations/status',
  '/api/integrations/providers',
  '/api/integrations/{provider}/sites',
  '/api/debug/db',
  '/api/cron/weekly-report',
]);

onEachEngine('an admin who keeps adding things', (engine) => {
  const stage = useStage(() => createTestApp(engine, { env }));
  const greedy = prepare(() => stage.createTeam('greedy'));
  let account: string;
  let made = 0;

  before(async () => {
    account = (await add(greedy.admin, '/api/telephony/accounts', newAccount())).body.id;
  });

  const newAccount = () => ({ provider: 'twilio', accountId: newAccountSid(), secrets: [AUTH_TOKEN] });
  const newNumber = () => ({ account, number: `+1555${String(++made).padStart(7, '0')}` });
  const newMember = () => ({ email: `member-${++made}@greedy.example` });
  const newToken = () => ({ name: `token ${++made}` });

  const add = async ({ headers }: Person, url: string, payload: object) => {
    const answer = await stage.server.inject({ method: 'POST', url, headers, payload });
    return { status: answer.statusCode, body: answer.json() };
  };

  const remove = async ({ headers }: Person, url: string) =>
    (await stage.server.inject({ method: 'DELETE', url, headers })).statusCode;

  const list = async ({ headers }: Person, url: string, name: string) =>
    (await stage.server.inject({ url, headers })).json()[name] as { id: string; user?: { id: string } }[];

  const kinds = [
    {
      url: '/api/members',
      name: 'members',
      table: 'users',
      code: 'teams.member_limit',
      most: MOST.members,
      make: newMember,
    },
    {
      url: '/api/tokens',
      name: 'tokens',
      table: 'access_tokens',
      code: 'teams.token_limit',
      most: MOST.tokens,
      make: newToken,
    },
    {
      url: '/api/telephony/numbers',
      name: 'numbers',
      table: 'telephony_numbers',
      code: 'telephony.number_limit',
      most: MOST.numbers,
      make: newNumber,
    },
    {
      url: '/api/telephony/accounts',
      name: 'accounts',
      table: 'telephony_accounts',
      code: 'telephony.account_limit',
      most: MOST.accounts,
      make: newAccount,
    },
  ];

  for (const { url, name, table, code, most, make } of kinds)
    test(`is refused more ${name} than the team can have, told what to do, and can continue after removing one`, async () => {
      const answers = await Promise.all(Array.from({ length: most + 4 }, () => add(greedy.admin, url, make())));
      const refused = answers.filter(({ status }) => status !== 201);
      assert.ok(refused.length >= 4, 'Nothing was refused.');
      for (const { status, body } of refused) {
        assert.equal(status, 409, JSON.stringify(body));
        assert.equal(body.code, code);
        assert.match(body.detail, new RegExp(`${most}.*(Remove|Revoke).*PATCHBAY_MAX_`));
      }
      const listMine = async () =>
        (await list(greedy.admin, `${url}?limit=100`, name)).filter(
          ({ user }) => user === undefined || user.id === greedy.admin.user.id,
        );
      const mine = await listMine();
      assert.equal(mine.length, most);
      const last = mine.find(({ id }) => id !== account && id !== greedy.admin.user.id && id !== greedy.member.user.id);
      if (name === 'tokens') {
        // The newest: the oldest is the one that these requests come with.
        assert.equal(await remove(greedy.admin, `${url}/${mine[0]?.id}`), 204);
      } else assert.equal(await remove(greedy.admin, `${url}/${last?.id}`), 204);
      const addOne = () => add(greedy.admin, url, make());
      const [added, late] = await runTogether(stage.app.database, table, [addOne, addOne]);
      assert.deepEqual([added.status, late.body.code], [201, code], 'Also those who come at the same moment count.');
      assert.equal((await listMine()).length, most);
      assert.equal((await addOne()).body.code, code);
    });

  test('takes nothing away from another team, nor one member from another', async () => {
    const other = await stage.createTeam('modest');
    assert.equal((await add(other.admin, '/api/members', { email: 'new@modest.example' })).status, 201);
    assert.equal((await add(other.admin, '/api/telephony/accounts', newAccount())).status, 201);
    assert.equal((await add(greedy.member, '/api/tokens', newToken())).status, 201);
  });

  test('can replace an expired token', async () => {
    const { member } = await stage.createTeam('patient');
    for (let count = 1; count < MOST.tokens; count++)
      assert.equal((await add(member, '/api/tokens', newToken())).status, 201);
    const { body } = await add(member, '/api/tokens', newToken());
    assert.equal(body.code, 'teams.token_limit');
    await stage.app.database.run("update access_tokens set expires_at = 1 where user_id = $1 and name <> 'test'", [
      member.user.id,
    ]);
    assert.equal((await add(member, '/api/tokens', newToken())).status, 201);
  });

  test('can always sign in: the oldest session ends', async () => {
    const { member } = await stage.createTeam('returning');
    const cookies: string[] = [];
    for (let count = 0; count < MOST.sessions + 1; count++) {
      const url = await makeLinkPath(stage, member.user);
      const { headers } = await stage.server.inject({ method: 'POST', url });
      cookies.push(cookieFrom(headers['set-cookie'], 'patchbay_session'));
    }
    const statuses = [];
    for (const cookie of cookies)
      statuses.push((await stage.server.inject({ url: '/api/team', headers: { cookie } })).statusCode);
    assert.deepEqual(statuses, [401, 200, 200, 200]);
  });

  test('sees the reason on the page too', async () => {
    const { csrfToken, headers } = await openSession(stage, greedy.admin.user);
    const answer = await stage.server.inject({
      method: 'POST',
      url: '/settings/members',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        email: 'one@more.example',
        name: '',
        role: 'member',
        _csrf: csrfToken,
      }).toString(),
    });
    assert.equal(answer.statusCode, 409);
    assert.match(answer.body, /PATCHBAY_MAX_MEMBERS/);
  });
});

onEachEngine('a member who keeps connecting accounts', (engine) => {
  const flow = useStage(() =>
    startConnectStage(engine, { env: { PATCHBAY_MAX_CONNECTED_ACCOUNTS: String(MOST.connections) } }),
  );
  const team = prepare(() => flow.stage.createTeam('greedy'));

  const arrive = async (person: Person, connection: string) => {
    const { authorizationUrl, cookie } = await flow.begin(person, 'github', { connection });
    return () => flow.arrive(flow.consent(authorizationUrl, { account: `of-${connection}` }), { cookie });
  };

  test('is refused more than the team can have, also those who come at the same moment', async () => {
    const names = Array.from({ length: MOST.connections + 4 }, (_, index) => `name-${index}`);
    const arrivals = [];
    for (const name of names) arrivals.push(await arrive(team.member, name));
    const answers = await Promise.all(arrivals.map((come) => come()));
    const refused = answers.filter(({ statusCode }) => statusCode !== 200);
    assert.equal(refused.length, 4);
    for (const answer of refused) {
      const { detail } = expectRefused(answer, 409, 'integrations.connection_limit');
      assert.match(detail, new RegExp(`${MOST.connections}.*Remove.*PATCHBAY_MAX_CONNECTED_ACCOUNTS`));
    }
    const { headers } = team.member;
    const before = await flow.post('github/connect', headers, { connection: 'one-more' });
    expectRefused(before, 409, 'integrations.connection_limit', 'before anything begins');
    const link = await flow.get('/api/integrations/github/connect?connection=one-more', headers);
    expectRefused(link, 409, 'integrations.connection_limit', 'a link');

    const kept = await flow.stage.app.database.all<{ name: string }>('select name from connections');
    assert.equal(kept.length, MOST.connections);
    const [first = { name: '' }] = kept;
    expectConnected(await (await arrive(team.member, first.name))());
    await flow.post('github/disconnect', headers, { connection: first.name });
    const lastTwo = [await arrive(team.member, 'one-more'), await arrive(team.member, 'too-many')] as const;
    const [added, late] = await runTogether(flow.stage.app.database, 'connections', lastTwo);
    expectConnected(added);
    expectRefused(late, 409, 'integrations.connection_limit', 'at the same moment');
    const other = await flow.stage.createTeam('modest');
    expectConnected(await (await arrive(other.member, 'first'))());
  });
});

onEachEngine('a list', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  const team = prepare(() => stage.createTeam('long'));
  const NUMBERS = 130;

  before(async () => {
    const post = async (url: string, payload: object) => {
      const answer = await stage.server.inject({ method: 'POST', url, headers: team.admin.headers, payload });
      assert.equal(answer.statusCode, 201, answer.body);
      return answer.json();
    };
    const secrets = [AUTH_TOKEN];
    const { id } = await post('/api/telephony/accounts', { provider: 'twilio', accountId: newAccountSid(), secrets });
    const greeting = 'x'.repeat(1_000);
    const answer = { greeting, voicemailPrompt: greeting, notice: greeting };
    for (let index = 0; index < NUMBERS; index++)
      await post('/api/telephony/numbers', { account: id, number: `+1555${String(index).padStart(7, '0')}`, answer });
  });

  test('in the API has pages and a cap, unless no team can make it longer', async () => {
    const { paths }: { paths: Record<string, { get?: Operation }> } = (
      await stage.server.inject({ url: '/openapi.json' })
    ).json();
    let lists = 0;
    for (const [path, { get }] of Object.entries(paths)) {
      const properties = get?.responses?.['200']?.content?.['application/json']?.schema?.properties ?? {};
      const isList = Object.values(properties).some(({ type }) => type === 'array') && !path.includes('{');
      if (!isList || BOUNDED.has(path)) continue;
      lists++;
      const parameters = new Map(get?.parameters?.map(({ name, schema }) => [name, schema]));
      // The log of events goes on after an event, too.
      const hasCursor = parameters.has('cursor') || (path.endsWith('/events') && parameters.has('after'));
      assert.ok(hasCursor && 'nextCursor' in properties, `${path} has no pages`);
      assert.equal(parameters.get('limit')?.maximum, 100, `${path} has no cap`);
    }
    assert.ok(lists >= 8, `${lists} lists`);
  });

  test('of numbers shows at most a hundred, and all of them page by page', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const url: string = `/api/telephony/numbers?limit=100${cursor && `&cursor=${cursor}`}`;
      const page = (await stage.server.inject({ url, headers: team.admin.headers })).json();
      assert.ok(page.numbers.length <= 100);
      seen.push(...page.numbers.map(({ number }: { number: string }) => number));
      cursor = page.nextCursor;
    }
    assert.equal(new Set(seen).size, NUMBERS);
    const tooMany = await stage.server.inject({ url: '/api/telephony/numbers?limit=101', headers: team.admin.headers });
    assert.equal(tooMany.statusCode, 400);
    const foreign = await stage.server.inject({ url: '/api/telephony/numbers?cursor=x', headers: team.admin.headers });
    assert.equal(foreign.json().code, 'telephony.cursor_invalid');
  });

  test('of numbers has pages in the dashboard too, for the team and for an account', async () => {
    const { headers } = await openSession(stage, team.admin.user);
    const overview = await stage.server.inject({ url: '/settings/telephony', headers });
    const account = /href="(\/settings\/telephony\/accounts\/[0-9a-f-]{36})"/.exec(overview.body)?.[1] ?? '';
    for (const first of ['/settings/telephony', account]) {
      const seen = new Set<string>();
      let path: string | undefined = first;
      for (let page = 0; path !== undefined && page < 10; page++) {
        const { statusCode, body }: { statusCode: number; body: string } = await stage.server.inject({
          url: path,
          headers,
        });
        assert.equal(statusCode, 200, path);
        const numbers = body.match(/\+1555\d{7}/g) ?? [];
        assert.ok(new Set(numbers).size <= 100, `${path} shows ${new Set(numbers).size} numbers`);
        for (const number of numbers) seen.add(number);
        path = /<a rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
      }
      assert.equal(seen.size, NUMBERS, first);
    }
  });
});
