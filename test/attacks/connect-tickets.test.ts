import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSER, expectParked, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

onEachEngine('a ticket in a connect link', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { github: {}, gitlab: {} } }));
  const team = prepare(() => flow.stage.createTeam('acme'));

  const makeLink = async (payload: object = {}) => {
    const { connectUrl } = await flow.begin(team.member, 'github', payload);
    const { pathname, search, searchParams } = new URL(connectUrl);
    return { link: `${pathname}${search}`, ticket: searchParams.get('ticket') ?? '' };
  };

  const follow = (link: string, headers: Record<string, string> = { accept: '*/*' }) => flow.get(link, headers);

  const withTicket = (ticket: string, provider = 'github') =>
    `/api/integrations/${provider}/connect?${new URLSearchParams({ ticket })}`;

  const expectUseless = async (link: string, what: string) => {
    expectRefused(await follow(link), 410, 'integrations.ticket_invalid', what);
    const signedIn = await follow(link, { ...team.member.headers });
    expectRefused(signedIn, 410, 'integrations.ticket_invalid', `${what}, by its own user`);
  };

  test('works once', async () => {
    const { link } = await makeLink();
    assert.equal((await follow(link)).statusCode, 302);
    await expectUseless(link, 'again');
    const page = await follow(link, BROWSER);
    assert.equal(page.statusCode, 410);
    assert.equal(page.headers.location, undefined);
  });

  test('works once when used many times at once', async () => {
    const { link } = await makeLink();
    const answers = await Promise.all(Array.from({ length: 20 }, () => follow(link)));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    assert.deepEqual(statuses, [302, ...Array.from({ length: 19 }, () => 410)]);
  });

  test('works once however it is encoded', async () => {
    const { link, ticket } = await makeLink();
    assert.equal((await follow(link)).statusCode, 302);
    for (const tail of ['=', '==', ' ', '!', '\n']) await expectUseless(withTicket(`${ticket}${tail}`), tail);
  });

  test('is good for ten minutes and not a moment longer', async () => {
    const [one, other] = [await makeLink(), await makeLink()];
    flow.clock.advance(10 * 60_000 - 1);
    assert.equal((await follow(one.link)).statusCode, 302);
    flow.clock.advance(1);
    await expectUseless(other.link, 'expired');
  });

  test("does not open another provider's door, and is not used up by trying", async () => {
    const { link, ticket } = await makeLink();
    await expectUseless(withTicket(ticket, 'gitlab'), 'gitlab');
    assert.equal((await follow(link)).statusCode, 302);
  });

  test('cannot be forged, altered or replaced by a state', async () => {
    const { ticket } = await makeLink();
    const { state } = await flow.begin(team.member);
    const [version = '', key = '', nonce = '', body = ''] = ticket.split('.');
    const bytes = Buffer.from(body, 'base64url');
    for (let at = 0; at < bytes.length; at += 5) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      await expectUseless(withTicket([version, key, nonce, flipped.toString('base64url')].join('.')), `byte ${at}`);
    }
    for (const text of [state, '', 'x', 'undefined', ticket.slice(0, -2), `${ticket}.x`, 'a'.repeat(5_000)])
      await expectUseless(withTicket(text), text.slice(0, 20));
  });

  test('is not used up by HEAD, so link previews are harmless', async () => {
    const { link } = await makeLink();
    const headed = await flow.stage.server.inject({ method: 'HEAD', url: link });
    assert.equal(headed.statusCode, 405);
    assert.equal((await follow(link)).statusCode, 302);
  });

  test('carries its own request: additions to the link change nothing', async () => {
    const { link } = await makeLink({ returnTo: '/mine', scopes: ['repo'] });
    const sent = await follow(`${link}&returnTo=%2Ftheirs&scopes=admin:org`);
    assert.equal(sent.statusCode, 302, sent.body);
    const address = new URL(String(sent.headers.location));
    assert.equal(address.searchParams.get('scope'), 'repo');
    const arrived = await flow.arrive(flow.consent(address.href), BROWSER);
    assert.match(String(arrived.headers.location), /^\/mine\?provider=github&outcome=confirm&attempt=[\w-]{43}$/);
  });

  test('in a stranger’s hands ends as a parked attempt, whatever came before', async () => {
    const { link } = await makeLink();
    const session = await openSession(flow.stage, team.admin.user);
    const sent = await follow(link, session.headers);
    assert.equal(sent.headers['set-cookie'], undefined);
    const before = flow.exchanges();
    expectParked(await flow.arrive(flow.consent(String(sent.headers.location)), session.headers));
    assert.equal(flow.exchanges(), before);
  });

  test('is not stored, nor is its nonce: only the fact that it was used', async () => {
    const { link, ticket } = await makeLink();
    await follow(link);
    const text = JSON.stringify(await flow.stage.app.database.all('select * from used_tickets'));
    assert.ok(!text.includes(ticket));
    assert.ok(!text.includes(ticket.split('.')[3] ?? ticket));
  });
});
