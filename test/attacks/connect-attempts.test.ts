import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { expectConnected, expectParked, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { onEachEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer, withoutRequestId } from '../harness/problem.ts';
import { openSession } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

onEachEngine('a parked attempt', (engine) => {
  const flow = useStage(() => startConnectStage(engine, { providers: { github: {}, gitlab: {} } }));
  const team = prepare(() => flow.stage.createTeam('acme'));
  const others = prepare(() => flow.stage.createTeam('others'));

  const park = async () => {
    const { authorizationUrl } = await flow.begin(team.member);
    const attempt = expectParked(await flow.arrive(flow.consent(authorizationUrl)));
    return { attempt, before: flow.exchanges() };
  };

  const unknown = () => randomBytes(32).toString('base64url');

  test('is canceled by a teammate: 403 for them, then 409 for the person who started it', async () => {
    const { attempt, before } = await park();
    expectRefused(await flow.complete(team.admin, attempt), 403, 'integrations.attempt_not_yours');
    expectRefused(await flow.complete(team.member, attempt), 409, 'integrations.attempt_used');
    assert.equal(flow.exchanges(), before);
  });

  test('is canceled by another team, which only sees the 404 of an unknown attempt, byte for byte', async () => {
    const { attempt, before } = await park();
    const refused = toAnswer(await flow.complete(others.admin, attempt));
    expectProblem(refused, 404, 'another team');
    const nothing = toAnswer(await flow.complete(others.admin, unknown()));
    assert.deepEqual(withoutRequestId(refused), withoutRequestId(nothing));
    expectRefused(await flow.complete(team.member, attempt), 409, 'integrations.attempt_used');
    const after = toAnswer(await flow.complete(others.admin, attempt));
    assert.deepEqual(withoutRequestId(after), withoutRequestId(nothing), 'burnt');
    assert.equal(flow.exchanges(), before);
  });

  test('does not tell its team who else has tried', async () => {
    const { attempt } = await park();
    assert.equal((await flow.complete(others.admin, attempt)).statusCode, 404);
    const { events } = (await flow.get('/api/audit', team.member.headers)).json();
    const refused = events.filter(({ action }: { action: string }) => action === 'integration.attempt.refused');
    assert.ok(
      refused.some(({ actor, address }: { actor: { id: unknown }; address: unknown }) => !actor.id && !address),
    );
    assert.ok(refused.every(({ actor }: { actor: { id: unknown } }) => actor.id !== others.admin.user.id));
  });

  test('works once', async () => {
    const { attempt, before } = await park();
    expectConnected(await flow.complete(team.member, attempt));
    for (const person of [team.member, team.admin])
      expectRefused(await flow.complete(person, attempt), 409, 'integrations.attempt_used');
    assert.equal((await flow.complete(others.member, attempt)).statusCode, 404);
    assert.equal(flow.exchanges(), before + 1);
  });

  test('works once when requested many times at once', async () => {
    const { attempt, before } = await park();
    const answers = await Promise.all(Array.from({ length: 20 }, () => flow.complete(team.member, attempt)));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 409)]);
    assert.equal(flow.exchanges(), before + 1);
  });

  test('requested by its user and a teammate at once is exchanged for its user or for nobody', async () => {
    const { attempt, before } = await park();
    const [own, colleagues] = await Promise.all([
      flow.complete(team.member, attempt),
      flow.complete(team.admin, attempt),
    ]);
    assert.ok([200, 409].includes(own.statusCode), own.body);
    assert.equal(colleagues.statusCode, own.statusCode === 200 ? 409 : 403, colleagues.body);
    assert.equal(flow.exchanges(), before + (own.statusCode === 200 ? 1 : 0));
  });

  test('cannot be finished after it expires', async () => {
    const { attempt, before } = await park();
    flow.clock.advance(10 * 60_000);
    expectRefused(await flow.complete(team.member, attempt), 410, 'integrations.attempt_expired');
    assert.equal((await flow.complete(others.member, attempt)).statusCode, 404);
    assert.equal(flow.exchanges(), before);
  });

  test('cannot be guessed, or derived from what the database stores', async () => {
    const { attempt, before } = await park();
    const rows = await flow.stage.app.database.all<Record<string, unknown>>('select * from connect_attempts');
    const kept = rows.flatMap((row) => Object.values(row)).filter((value) => typeof value === 'string');
    const guesses = [
      ...Array.from({ length: 200 }, unknown),
      ...kept.map((value) => value.slice(0, 43).padEnd(43, 'A')),
      createHash('sha256').update(attempt).digest('base64url'),
    ];
    for (const guess of guesses) assert.ok([400, 404].includes((await flow.complete(team.member, guess)).statusCode));
    assert.equal(flow.exchanges(), before);
    expectConnected(await flow.complete(team.member, attempt));
  });

  test('must be a string of the right shape, not a list, number or object', async () => {
    const { attempt, before } = await park();
    const bodies = [
      {},
      { attempt: null },
      { attempt: [attempt] },
      { attempt: { $ne: '' } },
      { attempt: 1 },
      { attempt: '' },
      { attempt: `${attempt}=` },
      { attempt: '%' },
      { attempt, userId: team.member.user.id },
    ];
    for (const body of bodies)
      expectProblem(toAnswer(await flow.post('github/complete', team.member.headers, body)), 400, JSON.stringify(body));
    assert.equal(flow.exchanges(), before);
  });

  test("is not found under another provider's path, and not burnt there", async () => {
    const { attempt, before } = await park();
    expectRefused(await flow.complete(team.member, attempt, 'gitlab'), 404, 'integrations.attempt_unknown');
    expectRefused(await flow.complete(team.member, attempt, 'nobody'), 404, 'integrations.provider_unknown');
    assert.equal(flow.exchanges(), before);
    expectConnected(await flow.complete(team.member, attempt));
  });

  test('is unaffected by strangers, and by sessions without their CSRF token', async () => {
    const { attempt, before } = await park();
    assert.equal((await flow.complete({ headers: { authorization: '' } }, attempt)).statusCode, 401);
    const session = await openSession(flow.stage, team.member.user);
    expectRefused(await flow.post('github/complete', session.headers, { attempt }), 403, 'http.csrf');
    const form = await flow.stage.server.inject({
      method: 'POST',
      url: '/integrations/github/finish',
      headers: { ...session.headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: `attempt=${attempt}`,
    });
    assert.equal(form.statusCode, 403, form.body);
    assert.equal(flow.exchanges(), before);
    const headers = { ...session.headers, 'x-csrf-token': session.csrfToken };
    expectConnected(await flow.post('github/complete', headers, { attempt }));
  });

  test('survives the page that offers to finish it, and is canceled if the wrong person presses the button', async () => {
    const { attempt, before } = await park();
    const page = `/integrations/github/finish?attempt=${attempt}`;
    assert.equal((await flow.get(page)).headers.location, `/sign-in?returnTo=${encodeURIComponent(page)}`);
    const session = await openSession(flow.stage, team.admin.user);
    const shown = await flow.get(page, session.headers);
    assert.equal(shown.statusCode, 200);
    assert.doesNotMatch(shown.body, /member@acme\.example/, 'who began is not told to whoever holds the address');
    assert.match(String(shown.headers['content-security-policy']), /frame-ancestors 'none'/);
    const pressed = await flow.stage.server.inject({
      method: 'POST',
      url: '/integrations/github/finish',
      headers: { ...session.headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: session.csrfToken, attempt }).toString(),
    });
    assert.equal(pressed.statusCode, 403, pressed.body);
    expectRefused(await flow.complete(team.member, attempt), 409, 'integrations.attempt_used');
    assert.equal(flow.exchanges(), before);
  });
});
