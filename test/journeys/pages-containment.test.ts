import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { linkIn } from '../harness/page-visits.ts';
import { useStage } from '../harness/use-stage.ts';

const PATH = '/settings/containment';
const REASON = 'A laptop was stolen.';

/** What a page says, without markup. */
const textOf = (page: string): string =>
  page
    .replaceAll(/<(?:head|header)[\s\S]*?<\/(?:head|header)>/g, ' ')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[.,;:”)])|(?<=[“(]) /g, '');

onOneEngine('the pages of the emergency stop', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  const open = async () => {
    const team = await stage.connected();
    stage.clock.advance(1_000);
    return { ...team, ...(await stage.browse(team.admin.user)), asMember: await stage.browse(team.member.user) };
  };

  const listOwn = async (headers: Record<string, string>): Promise<{ id: string; reason: string; revoke: boolean }[]> =>
    (await stage.ask('GET', '/api/containments', headers)).json().containments;

  const makeToken = async (headers: Record<string, string>, rights = {}) => {
    const made = await stage.ask('POST', '/api/tokens', headers, { name: 'on the laptop', ...rights });
    return made.json<{ id: string; token: string }>();
  };

  const idIn = (location: string): string => /containment\/([0-9a-f-]{36})/.exec(location)?.[1] ?? '';

  test('refuse what nobody chose, and a reason that says nothing', async () => {
    const { headers, submit } = await open();
    const flaws: [string, string, RegExp][] = [
      ['', REASON, /Choose what may have leaked\./],
      ['everything else', REASON, /Choose what may have leaked\./],
      ['provider', REASON, /Choose what may have leaked\./],
      ['provider ', REASON, /Choose what may have leaked\./],
      [`Token ${PROVIDER}`, REASON, /Choose what may have leaked\./],
      ['everything', '', /Say what happened, for the record\./],
      ['everything', ' \t ', /Say what happened, for the record\./],
      ['everything', 'x'.repeat(501), /up to 500 characters/],
    ];
    for (const path of [`${PATH}/forecast`, PATH])
      for (const [what, reason, words] of flaws) {
        const { statusCode, body } = await submit(path, { what, reason, revoke: 'on' });
        assert.equal(statusCode, 400, `${path} ${what}: ${body}`);
        assert.match(body, words);
        assert.match(body, /<button>See what would be stopped<\/button>/);
        assert.match(body, /name="revoke" value="on" checked/);
        assert.ok(body.includes(`name="reason" type="text" value="${reason}"`));
      }
    const nothing = await submit(PATH, {});
    assert.equal(nothing.statusCode, 400, nothing.body);
    const unknown = await submit(PATH, { what: 'provider nobody', reason: REASON });
    assert.equal(unknown.statusCode, 404, unknown.body);
    assert.deepEqual(await listOwn(headers), []);
    assert.equal(await stage.proxyProblem(headers), null);
  });

  test('repeat what was chosen before it is stopped, and say what to do next', async () => {
    const { headers, submit, follow } = await open();
    const fields = { what: `provider ${PROVIDER}`, reason: REASON };
    const forecast = await submit(`${PATH}/forecast`, fields);
    assert.equal(forecast.statusCode, 200, forecast.body);
    const asked = textOf(forecast.body);
    assert.match(
      asked,
      /What Acme in full connections What happened A laptop was stolen\. At the providers access goes on/,
    );
    assert.match(asked, /This stops 1 connection\. Programs that use what is stopped get errors until you lift it\./);
    assert.equal(await stage.proxyProblem(headers), null);
    const { page } = await follow(PATH, fields);
    assert.equal(await stage.proxyProblem(headers), 'integrations.contained');
    assert.match(page, /Stopped, in progress/, 'Its connections are being listed.');
    for (const path of ['/settings/sessions', '/settings/members', '/settings/tokens', '/settings/audit'])
      assert.ok(page.includes(`<li><a href="${path}">`), path);
    const begun = linkIn(page, /by whom/);
    assert.equal(begun, '/settings/audit?what=containment.start');
    assert.equal([...page.matchAll(/<li><a href="\/settings\/containment">/g)].length, 1, 'in the breadcrumb');
  });

  test('say “in progress” only while it is', async () => {
    const { headers, read } = await open();
    const id = await stage.contain(headers, { provider: PROVIDER });
    await stage.doDue();
    const page = textOf(await read(`${PATH}/${id}`));
    assert.match(page, /State Stopped What Acme in full connections/);
    assert.match(page, /Only stopped here/);
    await stage.lift(headers, id);
    const lifted = textOf(await read(`${PATH}/${id}`));
    assert.match(lifted, /State Lifted/);
    assert.match(lifted, /Was only stopped here/);
    assert.doesNotMatch(lifted, /What to do next/);
  });

  test('end access at the providers later, of what was stopped and of nothing newer', async () => {
    const { at, headers, read, follow } = await open();
    const id = await stage.contain(headers, { provider: PROVIDER });
    await stage.doDue();
    stage.clock.advance(1_000);
    await at.connect(PROVIDER, stage.newAccount(), { connection: 'later' });
    const path = linkIn(await read(`${PATH}/${id}`), /Also end access at the providers/);
    const asked = textOf(await read(path));
    assert.match(asked, /What happened A laptop was stolen\. At the providers access is ended where possible/);
    assert.match(asked, /This stops 1 connection\./);
    const { location } = await follow(path);
    await stage.doDue();
    const page = textOf(await read(location));
    assert.match(page, /Stopped; access ended where possible/);
    assert.match(page, / Ended /);
    assert.doesNotMatch(page, /Also end access/);
    assert.equal(await stage.proxyProblem(headers, 'later'), null);
    assert.deepEqual(
      (await listOwn(headers)).map(({ reason, revoke }) => [reason, revoke]),
      [
        [REASON, true],
        [REASON, false],
      ],
    );
    const again = await follow(`${PATH}/${idIn(location)}/revoke`);
    assert.equal(again.location, `${PATH}/${idIn(location)}`, 'There is nothing left to do.');
  });

  test('ask before they lift, and say what works again', async () => {
    const { headers, read, follow } = await open();
    const { id: tokenId, token } = await makeToken(headers);
    const lost = { authorization: `Bearer ${token}` };
    const id = await stage.contain(headers, { token: tokenId });
    const path = linkIn(await read(`${PATH}/${id}`), /Lift/);
    const asked = await read(path);
    assert.match(textOf(asked), /This works again at once: access token “on the laptop”\./);
    assert.doesNotMatch(asked, /has to be connected again/);
    assert.equal(linkIn(asked, /revoke it/), `/settings/tokens/${tokenId}/revoke`);
    assert.equal((await stage.ask('GET', '/api/team', lost)).statusCode, 401);
    const { page } = await follow(path);
    assert.match(page, /<p>Lifted\.<\/p>/);
    assert.equal((await stage.ask('GET', '/api/team', lost)).statusCode, 200);
    const revoking = await stage.contain(headers, { token: tokenId, revoke: true });
    await stage.ask('DELETE', `/api/tokens/${tokenId}`, headers);
    const other = textOf(await read(`${PATH}/${revoking}/lift`));
    assert.match(other, /and connections that it was used with/);
    assert.match(other, /What was ended at the providers doesn’t: it has to be connected again\./);
    assert.match(other, /“on the laptop” has ended since, and doesn’t work again\./);
    assert.match((await follow(`${PATH}/${revoking}/lift`)).page, /Lifted\. What was ended at the providers has to be/);
  });

  test('say of a token that is stopped alone what goes on, and show it as stopped', async () => {
    const { headers, read, submit, follow, asMember } = await open();
    const allow = [{ provider: PROVIDER, connection: 'default' }];
    const { id: tokenId, token } = await makeToken(headers, { allow });
    assert.equal(await stage.proxyProblem({ authorization: `Bearer ${token}` }), null);
    const fields = { what: `token ${tokenId}`, reason: REASON };
    const forecast = (await submit(`${PATH}/forecast`, fields)).body;
    assert.match(textOf(forecast), /What access token “on the laptop” What happened/);
    const { location, page: begun } = await follow(PATH, fields);
    assert.match(textOf(begun), /State Stopped, in progress/);
    await stage.doDue();
    const page = await read(location);
    for (const shown of [forecast, page]) {
      assert.match(textOf(shown), /What the token was used with isn’t stopped/);
      assert.equal(linkIn(shown, /what it did/), `/requests?by=${tokenId}`);
      assert.doesNotMatch(shown, /No connection is concerned/);
    }
    assert.match(textOf(page), /State Stopped What access token “on the laptop”/);
    assert.match(textOf(page), /Acme in full \S+ Not stopped/);
    assert.match(textOf(page), /Who could have had access: how often the token used them/);
    const mark = /<span class="state bad"><a href="\/settings\/containment">Stopped<\/a><\/span>/;
    for (const path of ['/settings/tokens', '/agents']) assert.match(await read(path), mark);
    assert.doesNotMatch(await read(PATH), new RegExp(`<option value="token ${tokenId}"`));
    assert.equal((await asMember.submit(PATH, fields)).statusCode, 403);
  });

  test('name providers that are no longer connected, and cut a long reason', async () => {
    const { at, headers, read } = await open();
    const reason = `${'A laptop was stolen from a car in front of the office. '.repeat(5)}Its owner noticed at night.`;
    const id = await stage.contain(headers, { provider: PROVIDER, reason });
    await stage.doDue();
    await stage.lift(headers, id);
    await at.disconnect(PROVIDER);
    const page = await read(`${PATH}/${id}`);
    assert.match(page, /<h1>[^<]{40,81}…<\/h1>/);
    assert.ok(page.includes(`<dd>${reason}</dd>`));
    assert.match(textOf(page), /What Acme in full connections/);
    assert.match(page, /<th scope="row">Acme in full</);
    assert.match(textOf(await read(PATH)), /… Acme in full connections/);
    assert.match(textOf(page), /Stopped Nov 15, 2026, 12:\d\d:\d\d(?: PM)? UTC/);
  });
});
