import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { keyRecords, openKeysStage } from '../harness/keys-stage.ts';
import { invalidClient } from '../harness/oauth-server/faults.ts';
import { OPERATOR } from '../harness/oauth-server.ts';
import { fullRecord } from '../harness/provider-file.ts';
import { openSession, type Session } from '../harness/sessions.ts';

const PAUSE_MS = 20_000;
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:1';

/** Without tags, as a person reads it. */
const textOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

describe('a provider is tried on its page', () => {
  let stage: Awaited<ReturnType<typeof openKeysStage>>;
  before(async () => {
    stage = await openKeysStage('sqlite', [
      fullRecord(NOWHERE, { id: 'away', name: 'Away' }),
      ...keyRecords(NOWHERE).flatMap((one) => (one.id === 'keyed' ? [{ ...one, id: 'keyed-away' }] : [])),
    ]);
  });
  afterEach(() => {
    stage.mend();
    stage.clock.advance(60_000);
  });
  after(() => stage.close());

  const newTeam = async () => {
    const made = await stage.newTeam();
    return {
      ...made,
      session: await openSession(stage, made.admin.user),
      memberSession: await openSession(stage, made.member.user),
    };
  };
  const read = async (session: Session, provider: string): Promise<string> => {
    const page = await stage.server.inject({ url: `/integrations/${provider}`, headers: session.headers });
    assert.equal(page.statusCode, 200, page.body);
    return textOf(page.body);
  };
  const press = (session: Session, provider: string, fields: Record<string, string> = {}) =>
    stage.server.inject({
      method: 'POST',
      url: `/integrations/${provider}/try`,
      headers: { ...session.headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: session.csrfToken, ...fields }).toString(),
    });
  const rows = () => stage.app.database.all('select * from provider_checks order by team_id, provider', []);

  test("with the operator's OAuth app, and every team sees when that was and what came of it", async () => {
    const [one, other] = [await newTeam(), await newTeam()];
    const issued = stage.oauth.issued.length;
    assert.doesNotMatch(await read(one.session, 'acme-full'), /Last tried/);
    const answer = await press(one.session, 'acme-full');
    assert.deepEqual(
      [answer.statusCode, answer.headers.location],
      [303, '/integrations/acme-full?done=tried#tried'],
      answer.body,
    );
    assert.equal(stage.oauth.issued.length, issued, 'Nothing was granted.');
    const passed =
      /Last tried here today at 12:\d\d.* Discovery document Passed .* Authorization page Passed .* Made-up code Passed/;
    assert.match(await read(one.session, 'acme-full'), passed);
    assert.match(await read(other.session, 'acme-full'), passed);
    const seenByMember = await read(other.memberSession, 'acme-full');
    assert.match(seenByMember, /Made-up code Passed/);
    assert.doesNotMatch(seenByMember, /Try it|accepted the client/);
    const { events } = JSON.parse(await stage.auditOf(one.admin.headers));
    assert.ok(
      events.some(
        ({ action, target }: Record<string, string>) => action === 'integration.try' && target === 'acme-full',
      ),
    );

    stage.clock.advance(PAUSE_MS);
    stage.oauth.fail('code', invalidClient);
    await press(other.session, 'acme-full');
    assert.match(await read(one.session, 'acme-full'), /Made-up code Failed .*client ID and secret/);
    const kept = JSON.stringify(await rows());
    assert.ok(!kept.includes(OPERATOR.secret));
    assert.doesNotMatch(kept, /patchbay-check-/);
  });

  test("with a team's own OAuth app or host, and only that team sees it", async () => {
    const [one, other] = [await newTeam(), await newTeam()];
    const own = await stage.ask('PUT', '/api/integrations/acme-plain/credentials', one.admin.headers, {
      ...{ clientId: 'of-the-team', clientSecret: 'canary-of-the-team' },
    });
    assert.equal(own.status, 200, own.body);
    await press(one.session, 'acme-plain');
    assert.match(await read(one.session, 'acme-plain'), /Last tried here/);
    assert.doesNotMatch(await read(other.session, 'acme-plain'), /Last tried here/);

    assert.match(await read(one.session, 'keyed-site'), /Try it/);
    assert.equal((await press(one.session, 'keyed-site')).statusCode, 400, 'It asks for the site.');
    assert.equal((await press(one.session, 'keyed-site', { 'try.api_key': 'canary-key' })).statusCode, 400);
    assert.equal((await press(one.session, 'keyed-site', { 'try.site': 'north' })).statusCode, 303);
    assert.match(await read(one.session, 'keyed-site'), /Made-up key Passed/);
    assert.doesNotMatch(await read(other.session, 'keyed-site'), /Last tried here/);
    assert.doesNotMatch(JSON.stringify(await rows()), /canary|north/);
  });

  test('without an internet connection, and the page says that first and nothing else', async () => {
    const { session, admin } = await newTeam();
    const own = { clientId: 'of-the-team', clientSecret: 'canary-of-the-team' };
    assert.equal((await stage.ask('PUT', '/api/integrations/away/credentials', admin.headers, own)).status, 200);
    for (const provider of ['away', 'keyed-away']) {
      assert.equal((await press(session, provider)).statusCode, 303);
      const said = await read(session, provider);
      assert.match(said, /Internet connection Failed .*This machine may have no internet connection/);
      assert.doesNotMatch(said, /Authorization page|Made-up|authorize\.url|token\.url/);
    }
  });

  test('only by admins, from their own page, and once its OAuth app is set up', async () => {
    const { session, memberSession } = await newTeam();
    assert.equal((await press(memberSession, 'acme-full')).statusCode, 403);
    assert.equal((await press({ ...session, csrfToken: 'x' }, 'acme-full')).statusCode, 403);
    assert.match(await read(session, 'github'), /You can try it here once its OAuth app is set up\./);
    const refused = await press(session, 'github');
    assert.equal(refused.statusCode, 409);
    assert.match(textOf(refused.body), /OAuth app isn&#39;t set up yet/);
    assert.equal((await press(session, 'nothing')).statusCode, 404);
    assert.equal((await press(session, 'brevo')).statusCode, 410);
  });

  test('not again and again, and by two people at the same time once', async () => {
    const [one, other] = [await newTeam(), await newTeam()];
    const asked = stage.oauth.count('code');
    const held = stage.oauth.hold('code', 'before');
    const first = press(one.session, 'acme');
    await held.arrived;
    const refused = await press(other.session, 'acme');
    assert.equal(refused.statusCode, 429);
    assert.match(textOf(refused.body), /tried a moment ago/);
    held.release();
    assert.equal((await first).statusCode, 303);
    assert.equal(stage.oauth.count('code'), asked + 1);
    const codes: number[] = [];
    for (const provider of [
      'keyed',
      'keyed-bearer',
      'keyed-query',
      'keyed-basic',
      'keyed-blind',
      'acme-never',
      'acme-grace',
    ])
      codes.push((await press(other.session, provider)).statusCode);
    assert.ok(codes.includes(429), `A team has a few tries a minute: ${codes}`);
    stage.clock.advance(60_000);
    assert.equal((await press(one.session, 'acme')).statusCode, 303);
  });
});
