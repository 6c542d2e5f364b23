import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { COMMAND_LINE, holderOf, type User } from '../../src/teams/index.ts';
import { listAccessTokens } from '../../src/teams/records/access-token-store.ts';
import { createTestApp } from '../harness/app.ts';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { BROWSER } from '../harness/connect-flow.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { findSearches, rememberStatements } from '../harness/explain-statements.ts';
import { linkIn } from '../harness/page-visits.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PROVIDER = 'acme-full';
const DAY_MS = 24 * 3_600_000;
const ACCOUNT = [{ provider: PROVIDER, connection: 'default' }];

onOneEngine('the page of agents', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  const browse = async (user: User) => {
    const session = await openSession(stage, user);
    const read = async (path = '/agents', status = 200): Promise<string> => {
      const answer = await stage.server.inject({ url: path, headers: { ...BROWSER, ...session.headers } });
      assert.equal(answer.statusCode, status, answer.body);
      return answer.body;
    };
    /** Presses the button on a page that asks, and follows to where it leads. */
    const confirm = async (address: string): Promise<{ location: string; page: string }> => {
      const from = /name="from" value="(\w+)"/.exec(await read(address))?.[1];
      const answer = await stage.server.inject({
        ...{ method: 'POST', url: address.replace(/\?.*/, '') },
        headers: { ...session.headers, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ _csrf: session.csrfToken, ...(from && { from }) }).toString(),
      });
      assert.equal(answer.statusCode, 303, answer.body);
      const location = String(answer.headers.location);
      return { location, page: await read(location) };
    };
    return { read, confirm };
  };

  const open = async () => {
    const team = await stage.connected();
    const [admin, member] = [await browse(team.admin.user), await browse(team.member.user)];
    return { ...team, asAdmin: admin, asMember: member };
  };

  /** Tokens are listed in the order of time. */
  const make = (headers: Record<string, string>, rights: Record<string, unknown>) => {
    stage.clock.advance(1);
    return makeToken(stage.server, headers, rights);
  };

  /** Makes what a client gets through OAuth. */
  const grant = (user: User, name: string, rights: object = { can: ['calls'] }) => {
    stage.clock.advance(1);
    const granted = { name, client: 'agents.example', days: 30, rights };
    return stage.app.teams.tokens.create(holderOf(user), COMMAND_LINE, granted);
  };

  /** The rows of a table, without markup. */
  const rowsOf = (page: string, kind: string): string[] => {
    const [, body = ''] =
      new RegExp(`<table class="stack ${kind}">[\\s\\S]*?<tbody>([\\s\\S]*?)</tbody>`).exec(page) ?? [];
    return [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
  };

  test('says how to add one, and what has to be connected before', async () => {
    const { asAdmin, asMember } = await open();
    const page = await asAdmin.read();
    assert.match(page, /<a href="\/agents" aria-current="page">Agents<\/a>/);
    assert.match(page, /<code>http:\/\/localhost:3000\/mcp<\/code><\/pre><button[^>]*aria-label="Copy address"/);
    assert.match(page, /claude mcp add --transport http patchbay http:\/\/localhost:3000\/mcp</);
    const clients = [...page.matchAll(/<summary>([^<]+)<\/summary>/g)].map(([, client]) => client);
    for (const client of ['Claude Code', 'Claude Desktop and claude.ai', 'ChatGPT', 'Cursor', 'VS Code'])
      assert.ok(clients.includes(client), client);
    assert.match(
      page,
      /and ChatGPT connect from their makers' servers, so they can't/,
      'This address is not on the internet.',
    );
    assert.match(page, /No agents yet/);
    assert.match(page, /Nothing in the last seven days/);
    assert.doesNotMatch(page, /No account is connected yet/);
    assert.match(await asMember.read(), /Only an admin can let it use accounts/);

    const unconnected = await stage.newTeam();
    const empty = await (await browse(unconnected.admin.user)).read();
    assert.match(empty, /class="empty"><p>No account is connected yet\./);
    assert.equal(linkIn(empty, /Connect an account/), '/integrations');
  });

  test("shows an admin the team's agents and a member their own, and no other team's", async () => {
    const { headers, admin, member, asAdmin, asMember } = await open();
    const other = await open();
    await make(headers, { name: 'of the admin', can: ['calls', 'reports'] });
    await make(headers, { name: 'a program that may do everything' });
    await grant(member.user, 'of the member');
    await grant(other.admin.user, 'of another team');
    const seen = rowsOf(await asAdmin.read(), 'agents');
    assert.equal(seen.length, 2);
    assert.match(
      seen[0] ?? '',
      new RegExp(`^of the member agents\\.example, ${member.user.email} Calls never .*Remove of the member$`),
    );
    assert.match(seen[1] ?? '', /^of the admin token Calls, reports never .*Remove of the admin$/);
    assert.match(await asAdmin.read(), /<h2>Your team&#39;s<\/h2><span class="count">2</);
    const own = rowsOf(await asMember.read(), 'agents');
    assert.equal(own.length, 1);
    assert.match(own[0] ?? '', /^of the member agents\.example Calls never/);
    assert.doesNotMatch(await asMember.read(), new RegExp(String(admin.user.email)));
    assert.equal(rowsOf(await other.asAdmin.read(), 'agents').length, 1);
  });

  test('says what each may read and change, and until when', async () => {
    const { headers, admin, asAdmin } = await open();
    await make(headers, { name: 'asks', allow: ACCOUNT, writes: 'ask', can: ['status', 'connect'] });
    await make(headers, {
      name: 'sends',
      allow: [{ ...ACCOUNT[0], methods: ['GET', 'POST'], paths: ['/issues'] }],
      writes: 'ask',
    });
    await make(headers, { name: 'nothing', can: [], expiresInDays: 1 });
    await grant(admin.user, '<b>bold</b>\u202e', { allow: ACCOUNT });
    const page = await asAdmin.read();
    const [bold = '', nothing = '', sends = '', asks = ''] = rowsOf(page, 'agents');
    assert.match(asks, /^asks token Acme[^(]*\([^)]+\) Status of integrations asks first Starts connecting accounts/);
    assert.match(
      sends,
      /^sends token Acme[^(]*\([^)]+\): \/issues doesn&#39;t ask POST to Acme.*: \/issues Asks before anything else/,
    );
    assert.match(nothing, /^nothing token Nothing never/);
    assert.match(bold, /^&lt;b&gt;bold&lt;\/b&gt; U\+202E agents\.example Acme[^(]*\([^)]+\) never (Dec|\d)/);
    assert.doesNotMatch(page, /<b>bold/);
    stage.clock.advance(1.5 * DAY_MS);
    assert.match(rowsOf(await asAdmin.read(), 'agents')[1] ?? '', /^nothing .* expired Remove/);
  });

  test('leads to the question before an agent is removed, and back', async () => {
    const { headers, asAdmin, asMember, member } = await open();
    const token = await make(headers, { name: 'gone soon', can: ['status'] });
    const status = () => stage.call('/api/integrations/status', { headers: token });
    assert.equal((await status()).status, 200);
    const address = linkIn(await asAdmin.read(), /Remove/);
    assert.match(address, /^\/settings\/tokens\/[\w-]+\/revoke\?from=agents$/);
    const question = await asAdmin.read(address);
    assert.match(question, /Revoke “gone soon”\?/);
    assert.equal(linkIn(question, /Cancel/), '/agents');
    assert.equal(linkIn(await asAdmin.read(address.replace(/\?.*/, '')), /Cancel/), '/settings/tokens');
    await asAdmin.read(address.replace('from=agents', 'from=https://evil.example'), 400);
    await asMember.read(address, 404);
    const { location, page } = await asAdmin.confirm(address);
    assert.equal(location, '/agents?done=removed');
    assert.match(page, /role="status"><p>Agent removed/);
    assert.match(page, /No agents yet/);
    assert.equal((await status()).status, 401);
    await grant(member.user, 'of the member');
    const own = await asMember.confirm(linkIn(await asMember.read(), /Remove/));
    assert.equal(own.location, '/agents?done=removed');
  });

  test('leaves out tokens that may do everything, however many there are', async () => {
    const { admin, asAdmin } = await open();
    await grant(admin.user, 'the oldest');
    for (let made = 0; made < 60; made++)
      await stage.app.teams.tokens.create(holderOf(admin.user), COMMAND_LINE, { name: `program ${made}` });
    await grant(admin.user, 'in between');
    const first = await asAdmin.read('/agents?limit=1');
    assert.match(rowsOf(first, 'agents').join(), /^in between/);
    assert.doesNotMatch(first, /class="count"/, 'There are more than this page has.');
    assert.doesNotMatch(first, /program \d/);
    const next = await asAdmin.read(linkIn(first, /Older/).replace('?', '?limit=1&'));
    assert.match(rowsOf(next, 'agents').join(), /^the oldest/);
  });

  test('lists what agents requested, and what became of it, for admins only', async () => {
    const { headers, token, admin } = await stage.asking();
    const [asAdmin, other] = [await browse(admin.user), await open()];
    const send = async (path: string, by: Record<string, string>) => {
      stage.clock.advance(1_100);
      return stage.call(stage.proxied(path), { headers: by });
    };
    await send('by/program', headers);
    await send('first', token);
    stage.clock.advance(1_100);
    const [approved, refused] = [await stage.park(token, 'approved'), await stage.park(token, 'refused')];
    await stage.approve(approved, headers);
    await stage.refuse(refused, headers);
    stage.clock.advance(1_100);
    await stage.park(token, 'waiting');
    stage.api.answer((_, response) => response.writeHead(404).end());
    await send('last', token);
    const reader = await make(headers, { name: 'another', allow: ACCOUNT });
    await send('by/another', reader);
    let rows: string[] = [];
    await waitUntil('what was sent is listed', async () => {
      rows = rowsOf(await asAdmin.read(), 'deeds');
      return rows.length === 6;
    });
    const said = rows.map((text) => text.replace(/^.*?(?:AM|PM|\d\d:\d\d) /, ''));
    const [another = '', last = '', waiting = '', ...decided] = said;
    assert.match(another, /^another : all requests GET \/by\/another Acme.* 404 in \d/);
    assert.match(last, /^agent : all requests GET \/last Acme.* 404 in \d/);
    assert.match(waiting, /POST \/waiting Acme\S* \S* ?Waiting$|POST \/waiting .*Waiting$/);
    assert.deepEqual(
      decided
        .slice(0, 2)
        .map((text) => /POST (\S+) .*?((?:Sent|Refused).*)$/.exec(text)?.slice(1))
        .sort(),
      [
        ['/approved', 'Sent, 200 approved by you'],
        ['/refused', 'Refused refused by you'],
      ],
    );
    assert.match(decided[2] ?? '', /GET \/first .* 200 in \d/);
    const page = await asAdmin.read();
    assert.doesNotMatch(page, /by\/program/);
    assert.equal(linkIn(page, /POST \/approved/), `/approvals/${approved}`);
    assert.match(linkIn(page, /another<span/), /^\/requests\?by=/);
    assert.equal(linkIn(page, /All requests$|^<a href="\/requests">/), '/requests');
    assert.doesNotMatch(await other.asAdmin.read(), /by\/another|\/waiting/);
    assert.match(await other.asMember.read(), /Only admins can see what agents requested/);

    const { tokens } = (await stage.ask('GET', '/api/tokens', headers)).json;
    const { id } = tokens.find(({ name }: { name: string }) => name === 'agent');
    await stage.server.inject({ method: 'DELETE', url: `/api/tokens/${id}`, headers });
    assert.equal(
      rowsOf(await asAdmin.read(), 'deeds').length,
      1,
      'What a removed agent did is in the log of requests.',
    );
  });
});

onEachEngine('the list of agents', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  test("looks for restricted tokens in the list of a team's or a user's tokens, and nowhere else", async () => {
    const { database } = stage.app;
    const { database: watched, statements } = rememberStatements(database);
    for (const userId of [null, 'nobody'])
      await listAccessTokens(watched, { teamId: 'nobody', userId, isRestricted: true }, null, 50);
    for (const statement of statements) {
      const [tokens = ''] = await findSearches(database, statement).then((found) =>
        found.filter((search) => search.includes('access_tokens')),
      );
      assert.match(tokens, /access_tokens_(team|user)/);
    }
    assert.equal(statements.length, 2);
  });
});
