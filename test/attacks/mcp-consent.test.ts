// Attack: a client that gets more than a person chose, or without a person having chosen.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { CALLBACK } from '../harness/agent-clients.ts';
import { createHandClient, FORM, letIn, listTools, openPerson } from '../harness/agent-grant.ts';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a consent', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  /** So that nothing is refused because there was so much before it. */
  beforeEach(() => stage.clock.advance(60_000));

  const countGrants = async (headers: Record<string, string>): Promise<number> =>
    (await stage.ask('GET', '/api/tokens', headers)).json.tokens.filter(
      ({ client }: { client: string | null }) => client !== null,
    ).length;

  test('is never remembered: the same client asks again, and another one cannot use it', async () => {
    const { person, client, headers } = await letIn(stage);
    for (const asking of [client, await createHandClient(stage.server)]) {
      const { text } = await person.open(asking.address({ prompt: 'none' }));
      assert.match(text, /Let “Test agent” in\?/);
    }
    assert.equal(await countGrants(headers), 1);
  });

  test('is a page that names everything, in its own words, and loads nothing from elsewhere', async () => {
    const { admin } = await stage.connected();
    const person = await openPerson(stage, admin.user);
    const client = await createHandClient(stage.server, {
      client_name: 'Claude\u202E<img src=x onerror=alert(1)>\n\u200B from\u00A0Anthropic',
      logo_uri: 'https://evil.example/logo.png',
      client_uri: 'https://evil.example',
      policy_uri: 'javascript:alert(1)',
    });
    const { text, page } = await person.open(client.address());
    assert.match(text, /calls itself <strong>Claude&lt;img src=x onerror=alert\(1\)&gt; from Anthropic<\/strong>/);
    assert.match(text, /Nobody has checked that name/);
    assert.match(text, /sent to <strong>127\.0\.0\.1:33418<\/strong>/);
    assert.match(text, /a program on this computer/);
    assert.doesNotMatch(text, /evil\.example|javascript:/);
    const { headers } = await person.visit(page);
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  test('needs the person: no token, no other browser, no other site, and nobody without the form', async () => {
    const { admin, headers } = await stage.connected();
    const person = await openPerson(stage, admin.user);
    const client = await createHandClient(stage.server);
    const whole = await stage.ask('GET', client.address(), headers);
    assert.deepEqual([whole.status, whole.json], [403, null]);
    const restricted = await makeToken(stage.server, headers, { can: ['status', 'connect'] });
    assert.equal((await stage.ask('GET', client.address(), restricted)).status, 403);
    const { page, csrf, seen } = await person.open(client.address());
    const choice = { answer: 'allow', shown: seen, place: 'acme-full:default' };
    const another = await openPerson(stage, admin.user);
    assert.equal(
      (await another.send(page, { ...choice, _csrf: csrf })).status,
      403,
      'A CSRF token of another session.',
    );
    const { csrf: own } = await another.open(client.address());
    const elsewhere = await another.send(page, { ...choice, _csrf: own });
    assert.equal(elsewhere.status, 410, 'It was begun in another browser.');
    assert.equal((await person.send(page, choice)).status, 403);
    assert.equal((await person.send(page, { ...choice, _csrf: 'x' })).status, 403);
    const { pathname } = new URL(page);
    for (const [referer, back] of [
      [`http://localhost:3000${pathname}`, pathname],
      ['https://evil.example/x', '/'],
    ]) {
      const headersOfForm = { ...FORM, referer, host: 'localhost:3000' };
      const stranger = await stage.server.inject({
        ...{ method: 'POST', url: pathname, headers: headersOfForm, payload: 'answer=allow' },
      });
      assert.equal(stranger.statusCode, 401);
      assert.ok(stranger.body.includes(`/sign-in?returnTo=${encodeURIComponent(back ?? '')}"`), stranger.body);
    }
    assert.equal(await countGrants(headers), 0);
  });

  test('is given once', async () => {
    const { admin, headers } = await stage.connected();
    const person = await openPerson(stage, admin.user);
    const client = await createHandClient(stage.server);
    const { page, csrf, seen } = await person.open(client.address());
    const fields = { answer: 'allow', shown: seen, place: 'acme-full:default', _csrf: csrf };
    await person.follow(await person.send(page, fields));
    assert.equal((await person.send(page, fields)).status, 410);
    assert.equal((await person.visit(page)).status, 410);
    assert.equal(await countGrants(headers), 1);
  });

  test('gives no accounts of a member, of another team, or that are not there, whatever the form says', async () => {
    const { member, admin, headers } = await stage.connected();
    await stage.connected('elsewhere');
    const client = await createHandClient(stage.server);
    const people = { member: await openPerson(stage, member.user), admin: await openPerson(stage, admin.user) };
    const { text } = await people.member.open(client.address());
    assert.match(text, new RegExp(`you aren’t an admin of this team. To use accounts, ask ${admin.user.email}`));
    for (const [who, place, status] of [
      ['member', 'acme-full:default', 403],
      ['admin', 'acme-full:elsewhere', 409],
      ['admin', 'nobody:default', 404],
      ['admin', '../sandbox:default', 400],
    ] as const) {
      const { page, csrf, seen } = await people[who].open(client.address());
      const answer = await people[who].send(page, { answer: 'allow', shown: seen, place, _csrf: csrf });
      assert.equal(answer.status, status, `${who} ${place}`);
    }
    const { page, csrf, seen } = await people.admin.open(client.address());
    for (const fields of [
      {},
      { can: 'recordings' },
      { can: 'everything' },
      { days: '9999', can: 'status' },
      { writes: 'always', can: 'status' },
    ])
      assert.equal(
        (await people.admin.send(page, { answer: 'allow', shown: seen, ...fields, _csrf: csrf })).status,
        400,
      );
    assert.equal(await countGrants(headers), 0);
  });

  test('is for what the page showed: not for another account, and not under another name', async () => {
    const { admin, headers, at } = await stage.connected();
    const person = await openPerson(stage, admin.user);
    const client = await createHandClient(stage.server);
    const { page, csrf, seen, text } = await person.open(client.address());
    const fields = { answer: 'allow', shown: seen, place: 'acme-full:default', _csrf: csrf };
    await at.connect('acme-full', stage.newAccount());
    assert.equal((await person.send(page, fields)).status, 409);
    const { shown: _, ...without } = fields;
    assert.equal((await person.send(page, without)).status, 409);
    assert.equal(await countGrants(headers), 0);
    const again = await person.visit(page);
    assert.notEqual(await again.text(), text, 'It can be loaded again, and shows the account that is there now.');
  });

  test('leaves nothing behind if it is given and refused at once, or given many times', async () => {
    const { admin, headers } = await stage.connected();
    const person = await openPerson(stage, admin.user);
    const client = await createHandClient(stage.server);
    for (const answers of [
      ['allow', 'deny'],
      ['allow', 'allow', 'allow'],
    ]) {
      const { page, csrf, seen } = await person.open(client.address());
      await Promise.all(
        answers.map((answer) => person.send(page, { answer, shown: seen, can: 'status', _csrf: csrf })),
      );
    }
    stage.clock.advance(20 * 60_000);
    await stage.app.agents.pruneGrants();
    assert.equal(await countGrants(headers), 0);
  });

  test('gives one code, however often the way back is taken', async () => {
    const { admin } = await stage.connected();
    const person = await openPerson(stage, admin.user);
    const client = await createHandClient(stage.server);
    const { page, csrf, seen } = await person.open(client.address());
    const decided = await person.send(page, { answer: 'allow', shown: seen, can: 'status', _csrf: csrf });
    const next = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(await decided.text())?.[1] ?? '';
    const answers = await Promise.all([1, 2, 3].map(() => person.visit(next.replaceAll('&amp;', '&'))));
    const codes = answers.filter((answer) => answer.headers.get('location')?.includes('code='));
    assert.equal(codes.length, 1, JSON.stringify(answers.map(({ status }) => status)));
  });

  test('ends with the rights of its person', async () => {
    const { client, code, admin, headers, team } = await letIn(stage);
    const { json } = await client.redeem(code);
    const other = await stage.app.database.transaction((tx) =>
      tx.run("update users set role = 'member' where team_id = $1 and id = $2", [team.id, admin.user.id]),
    );
    assert.equal(other, 1);
    stage.app.teams.callers.forget();
    const listed = await stage.server.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization: `Bearer ${json.access_token}`, accept: 'application/json, text/event-stream' },
      payload: {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'call_api', arguments: { provider: 'acme-full', path: '/things' } },
      },
    });
    assert.match(listed.body, /only admins|admin/i);
    assert.deepEqual(stage.api.received, []);
    assert.ok(headers);
  });

  test('is refused by a person without a trace but a word to the client', async () => {
    const { admin, headers } = await stage.connected();
    const person = await openPerson(stage, admin.user);
    const client = await createHandClient(stage.server);
    const { page, csrf } = await person.open(client.address());
    const back = await person.follow(await person.send(page, { answer: 'deny', _csrf: csrf }));
    assert.equal(`${back.origin}${back.pathname}`, CALLBACK);
    assert.deepEqual(Object.fromEntries(back.searchParams), {
      error: 'access_denied',
      error_description: 'The person said no.',
      state: 's',
      iss: 'http://localhost:3000',
    });
    assert.equal(await countGrants(headers), 0);
    assert.equal(await listTools(stage.server, 'pba_'.padEnd(47, 'x')), 401);
  });
});
