import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { inspect } from 'node:util';
import { findCanaries } from '../harness/canaries.ts';
import { onOneEngine } from '../harness/databases.ts';
import { createBrowser, nextOf, signInToPages } from '../harness/key-browser.ts';
import { openKeysStage, PRODUCT } from '../harness/keys-stage.ts';
import { problemIn } from '../harness/proxy-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('the form for a key', (engine) => {
  const stage = useStage(() => openKeysStage(engine));
  afterEach(async () => {
    stage.mend();
    await stage.removeConnections();
  });

  const signIn = () => signInToPages(stage);

  const makeLink = async (headers: Readonly<Record<string, string>>, body: object = {}): Promise<string> =>
    JSON.parse((await stage.ask('POST', '/api/integrations/keyed/connect', headers, body)).body).connectUrl;

  const expectNothing = async (at: { status(provider: string): Promise<{ status: string }> }): Promise<void> => {
    assert.equal((await at.status('keyed')).status, 'disconnected');
    assert.deepEqual(stage.api.received, [], 'The provider was not asked.');
  };

  test("takes nothing from another site's page", async () => {
    const { browser, at } = await signIn();
    const { submit } = await browser.openForm('/api/integrations/keyed/connect');
    const fields = { 'fields.api_key': stage.newKey() };
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': undefined, origin: 'https://evil.example' },
      { 'sec-fetch-site': undefined, origin: 'null' },
    ])
      assert.equal((await submit(fields, headers)).status, 403, inspect(headers));
    await expectNothing(at);
  });

  test('takes nothing in a session without its CSRF token', async () => {
    const { browser, at } = await signIn();
    const { action } = await browser.openForm('/api/integrations/keyed/connect');
    const fields = { 'fields.api_key': stage.newKey() };
    assert.equal((await browser.post(action, fields)).status, 403);
    assert.equal((await browser.post(action, { ...fields, _csrf: 'x' })).status, 403);
    await expectNothing(at);
  });

  test('does not open by itself when another site sends someone here', async () => {
    const { browser } = await signIn();
    const sent = await browser.get('/api/integrations/keyed/connect', { 'sec-fetch-site': 'cross-site' });
    assert.equal(sent.status, 200);
    assert.match(sent.body, /Connect Keyed\?/);
    assert.doesNotMatch(sent.body, /type="password"/);
    const stranger = await createBrowser(stage.server).get('/api/integrations/keyed/connect');
    assert.match(String(stranger.headers.location), /^\/sign-in/);
  });

  test('cannot be framed, cached, or left with its address', async () => {
    const { browser } = await signIn();
    const begun = await browser.get('/api/integrations/keyed/connect');
    const { headers } = await browser.get(String(begun.headers.location));
    assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
    assert.match(String(headers['content-security-policy']), /form-action 'self'/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'same-origin');
  });

  test('opens only with a state that was made here, for this provider, and in time', async () => {
    const { browser, at } = await signIn();
    const { action } = await browser.openForm('/api/integrations/keyed/connect');
    const { searchParams } = new URL(action, 'http://localhost');
    const state = searchParams.get('state') ?? '';
    const formOf = (provider: string, given: string) =>
      `/integrations/${provider}/key?${new URLSearchParams({ state: given })}`;
    for (const [provider, given] of [
      ['keyed-bearer', state],
      ['keyed', `${state.slice(0, -2)}xx`],
      ['keyed', 'x'],
      ['keyed', ''],
    ] as const) {
      assert.equal((await browser.get(formOf(provider, given))).status, 400, given);
      const stranger = createBrowser(stage.server);
      assert.equal((await stranger.post(formOf(provider, given), { 'fields.api_key': 'x' })).status, 400, given);
    }
    assert.equal((await browser.get(formOf('acme', state))).status, 409, 'It uses OAuth.');
    assert.equal((await browser.get(formOf('nobody', state))).status, 404);
    stage.clock.advance(10 * 60_000);
    assert.equal((await browser.get(action)).status, 400);
    await expectNothing(at);
  });

  test('a link works once, and a form that was used neither connects again nor tells which keys work', async () => {
    const { member, at } = await stage.newTeam();
    const link = await makeLink(member.headers);
    const browser = createBrowser(stage.server);
    const { action, submit } = await browser.openForm(link);
    assert.equal((await browser.get(link)).status, 410);
    assert.equal((await submit({ 'fields.api_key': stage.newKey() })).status, 200);
    const asked = stage.verifications();
    for (const key of [stage.newKey(), 'wrong']) {
      const again = await createBrowser(stage.server).post(action, { 'fields.api_key': key });
      assert.equal(again.status, 409, again.body);
    }
    assert.equal(stage.verifications(), asked);
    assert.equal((await at.status('keyed')).status, 'disconnected', 'Nobody has finished it.');
  });

  test('whoever is lured to the form of someone else connects nothing to their team', async () => {
    const [eve, victim] = [await stage.newTeam(), await signIn()];
    const { submit } = await victim.browser.openForm(await makeLink(eve.member.headers, { returnTo: PRODUCT }));
    const key = stage.newKey();
    const parked = await submit({ 'fields.api_key': key });
    const attempt = nextOf(parked.body).searchParams.get('attempt');
    assert.equal(nextOf(parked.body).searchParams.get('outcome'), 'confirm');
    const complete = (headers: Readonly<Record<string, string>>) =>
      stage.ask('POST', '/api/integrations/keyed/complete', headers, { attempt });
    assert.equal((await eve.at.status('keyed')).status, 'disconnected');
    assert.equal((await complete(victim.member.headers)).status, 404, 'It was for another team.');
    const late = await complete(eve.member.headers);
    assert.deepEqual([late.status, problemIn(late)], [409, 'integrations.attempt_used'], 'That has burned it.');
    assert.equal((await eve.at.status('keyed')).status, 'disconnected');
  });

  test('another user of the same team cannot finish it either', async () => {
    const { admin, member, at } = await stage.newTeam();
    const { submit } = await createBrowser(stage.server).openForm(
      await makeLink(member.headers, { returnTo: PRODUCT }),
    );
    const attempt = nextOf((await submit({ 'fields.api_key': stage.newKey() })).body).searchParams.get('attempt');
    const other = await stage.ask('POST', '/api/integrations/keyed/complete', admin.headers, { attempt });
    assert.deepEqual([other.status, problemIn(other)], [403, 'integrations.attempt_not_yours']);
    assert.equal((await at.status('keyed')).status, 'disconnected');
    assert.match(await stage.auditOf(admin.headers), /integration\.attempt\.refused/);
  });

  test('a member who is removed can neither open it, submit it, nor finish it', async () => {
    const { admin, member, at } = await stage.newTeam();
    const browser = createBrowser(stage.server);
    const open = await browser.openForm(await makeLink(member.headers));
    const filled = await browser.openForm(await makeLink(member.headers, { returnTo: PRODUCT }));
    const attempt = nextOf((await filled.submit({ 'fields.api_key': stage.newKey() })).body).searchParams.get(
      'attempt',
    );
    const link = await makeLink(member.headers);
    const asked = stage.verifications();
    assert.equal((await stage.ask('DELETE', `/api/members/${member.user.id}`, admin.headers)).status, 204);
    assert.equal((await browser.get(link)).status, 410);
    assert.equal((await browser.get(open.action)).status, 400);
    assert.equal((await open.submit({ 'fields.api_key': stage.newKey() })).status, 400);
    const late = await stage.ask('POST', '/api/integrations/keyed/complete', admin.headers, { attempt });
    assert.ok(late.status >= 400, late.body);
    assert.equal(stage.verifications(), asked);
    assert.equal((await at.status('keyed')).status, 'disconnected');
  });

  test('a member who is removed while the provider is being asked leaves nothing', async () => {
    const { browser, admin, member, at } = await signIn();
    const { submit } = await browser.openForm('/api/integrations/keyed/connect?returnTo=/x');
    stage.api.answer(async (_incoming, response) => {
      await stage.ask('DELETE', `/api/members/${member.user.id}`, admin.headers);
      response.end('{}');
    });
    const done = await submit({ 'fields.api_key': stage.newKey() });
    assert.doesNotMatch(String(done.headers.location), /outcome=connected/);
    assert.equal((await at.status('keyed')).status, 'disconnected');
  });

  test('what was entered is in no page, address, log, row, or audit entry', async () => {
    const { browser, member, at } = await signIn();
    const [key, wrong] = [stage.newKey(), `canary-wrong-${stage.newKey()}`];
    const shown: Record<string, string> = {};
    const note = (name: string, { body, headers }: { body: string; headers: object }): void => {
      shown[name] = `${body} ${JSON.stringify(headers)}`;
    };
    const { submit } = await browser.openForm('/api/integrations/keyed/connect?returnTo=/integrations');
    for (const [index, value] of [`${wrong}\u00fc`, `${wrong}\r\nx`, wrong + 'x'.repeat(300), wrong].entries())
      note(`refused ${index}`, await submit({ 'fields.api_key': value }));
    note('unknown field', await submit({ 'fields.api_key': key, 'fields.other': wrong }));
    note('misplaced', await submit({ 'fields.api_key': key, 'params.other': 'x', [wrong]: 'x' }));
    note('huge', await submit({ 'fields.api_key': wrong.repeat(1_000) }));
    note('larger than a form can be', await submit({ 'fields.api_key': wrong.repeat(5_000) }));
    note('done', await submit({ 'fields.api_key': key }));
    const { submit: park } = await createBrowser(stage.server).openForm(await makeLink(member.headers));
    const parked = stage.newKey();
    note('parked', await park({ 'fields.api_key': parked }));
    note('list', await browser.get('/integrations/keyed'));
    shown['audit'] = await stage.auditOf(at.headers);
    shown['log'] = inspect(stage.lines, { depth: 20 });
    for (const table of ['connections', 'connect_attempts', 'audit_log', 'used_tickets'])
      shown[table] = JSON.stringify(await stage.app.database.all(`select * from ${table}`, []).catch(() => []));
    assert.deepEqual(findCanaries({ key, wrong, parked }, shown), []);
    assert.equal((await at.status('keyed')).status, 'connected');
  });

  test('twenty at once connect one, and all hear the same', async () => {
    const { browser, at } = await signIn();
    const { submit } = await browser.openForm('/api/integrations/keyed/connect?returnTo=/x');
    const key = stage.newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => submit({ 'fields.api_key': key })));
    const locations = new Set(answers.map(({ headers }) => headers.location));
    assert.deepEqual([...locations], ['/x?provider=keyed&outcome=connected']);
    assert.equal((await stage.auditOf(at.headers)).match(/"integration\.(?:re)?connect"/g)?.length, 1);
  });
});
