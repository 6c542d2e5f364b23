import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DatabaseUnavailable } from '../../src/platform/index.ts';
import { createSwitchboard } from '../../src/telephony/accounts/switchboard.ts';
import { onEachEngine } from '../harness/databases.ts';
import { holdAnswer } from '../harness/hold-database.ts';
import { startStopwatch } from '../harness/start-stopwatch.ts';
import { openDatabaseLink } from '../harness/telephony-database-link.ts';
import {
  CALLER,
  createPhoneLine,
  newCallSid,
  OUR_NUMBER,
  openTelephonyStage,
  PATIENT,
  type PhoneLine,
  type TelephonyStage,
} from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

/** A change by another process is seen within this time. */
const SOON_MS = 1_000;
const ALWAYS = [{ opens: '00:00', closes: '24:00' }];
/** The tests begin at noon. */
const AT_NIGHT = [{ opens: '02:00', closes: '03:00' }];
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const week = (ranges: object[]) => Object.fromEntries(DAYS.map((day) => [day, ranges]));

type Team = Awaited<ReturnType<TelephonyStage['newTeam']>>;

const say = async (line: PhoneLine): Promise<string> => {
  const reply = await line.rings(newCallSid());
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.body;
};

onEachEngine('a change made in another process', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, { ...PATIENT, answer: { greeting: 'The first words.' } }));
  const other = useStage(() => stage.openOther());

  const change = async (
    { admin }: Team,
    method: 'POST' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object,
  ): Promise<void> => {
    const answered = await stage.server.inject({
      method,
      url,
      headers: admin.headers,
      ...(payload ? { payload } : {}),
    });
    assert.ok(answered.statusCode < 300, `${answered.statusCode} ${answered.body}`);
  };
  /** The same phone line, as the other process hears it. */
  const elsewhere = ({ account }: Team, authToken?: string): PhoneLine =>
    createPhoneLine(other.server, { id: account.id, accountId: account.accountId }, authToken);
  const status = async (line: PhoneLine): Promise<number> => (await line.rings(newCallSid())).statusCode;

  test('to an answer takes effect within a second, and immediately in this one', async () => {
    const team = await stage.newTeam();
    const there = elsewhere(team);
    stage.clock.advance(SOON_MS);
    assert.match(await say(there), /The first words\./);
    await change(team, 'PATCH', `/api/telephony/numbers/${team.number.id}`, { answer: { greeting: 'Other words.' } });
    assert.match(await say(team.line), /Other words\./);
    stage.clock.advance(SOON_MS);
    assert.match(await say(there), /Other words\./);
  });

  test('to a number takes effect within a second, and immediately in this one', async () => {
    const team = await stage.newTeam();
    const there = elsewhere(team);
    stage.clock.advance(SOON_MS);
    const called = { To: '+15551238888' };
    const ring = async (line: PhoneLine, more = {}) => (await line.rings(newCallSid(), more)).body;
    assert.match(await ring(there, called), /not in service/);
    await change(team, 'PATCH', `/api/telephony/numbers/${team.number.id}`, { number: called.To });
    for (const line of [team.line, there]) {
      assert.match(await ring(line, called), /The first words\./);
      assert.match(await ring(line), /not in service/, 'The old one is not ours any more.');
      stage.clock.advance(SOON_MS);
    }
    await change(team, 'DELETE', `/api/telephony/numbers/${team.number.id}`);
    assert.match(await ring(team.line, called), /not in service/);
    stage.clock.advance(SOON_MS);
    assert.match(await ring(there, called), /not in service/);
  });

  test('to a secret takes effect within a second, and immediately in this one', async () => {
    const team = await stage.newTeam();
    const newer = 'a-newer-auth-token-of-the-tests';
    const here = createPhoneLine(stage.server, { id: team.account.id, accountId: team.account.accountId }, newer);
    const there = elsewhere(team, newer);
    stage.clock.advance(SOON_MS);
    assert.equal(await status(there), 403);
    await change(team, 'PATCH', `/api/telephony/accounts/${team.account.id}`, { secrets: [newer] });
    assert.equal(await status(here), 200);
    assert.equal(await status(team.line), 403, 'The old one is refused at once.');
    stage.clock.advance(SOON_MS);
    assert.equal(await status(there), 200);
    assert.equal(await status(elsewhere(team)), 403);
  });

  test('to an account takes effect within a second, and a removed one is refused immediately in this one', async () => {
    const team = await stage.newTeam();
    const there = elsewhere(team);
    stage.clock.advance(SOON_MS);
    assert.equal(await status(there), 200, 'A new account is known.');
    await change(team, 'DELETE', `/api/telephony/accounts/${team.account.id}`);
    assert.equal(await status(team.line), 403);
    stage.clock.advance(SOON_MS);
    assert.equal(await status(there), 403);
  });

  test("of the team's hours is heard within a second", async () => {
    const team = await stage.newTeam();
    const there = elsewhere(team);
    await change(team, 'PATCH', '/api/team', { businessHours: week(ALWAYS) });
    const answer = { greeting: 'We are here.', hours: { open: null, outside: { greeting: 'We are closed.' } } };
    await change(team, 'PATCH', `/api/telephony/numbers/${team.number.id}`, { answer });
    stage.clock.advance(SOON_MS);
    for (const line of [team.line, there]) assert.match(await say(line), /We are here\./);
    await change(team, 'PATCH', '/api/team', { businessHours: week(AT_NIGHT) });
    stage.clock.advance(SOON_MS);
    for (const line of [team.line, there]) assert.match(await say(line), /We are closed\./);
  });

  test('takes effect immediately in this one, even if settings are being read when it is made', async () => {
    const team = await stage.newTeam();
    const { database, vault, clock, log } = stage.app;
    const switchboard = createSwitchboard({ database, vault, clock, log, ...PATIENT });
    await switchboard.refresh();
    stage.clock.advance(SOON_MS);
    const held = holdAnswer(database, 'get', 'from telephony_changes');
    const looking = switchboard.catchUp();
    await held.answered;
    await change(team, 'DELETE', `/api/telephony/accounts/${team.account.id}`);
    const refreshed = switchboard.refresh();
    held.release();
    await Promise.all([looking, refreshed]);
    assert.deepEqual(switchboard.findCandidates('twilio', team.account.id, null), []);
  });

  test('is looked for now and then, and more often by strangers, but not by each of them', async () => {
    const { database, vault, clock, log } = stage.app;
    let looks = 0;
    const get: typeof database.get = (text, ...values) => {
      if (text.includes('telephony_changes')) looks++;
      return database.get(text, ...values);
    };
    const switchboard = createSwitchboard({ database: { ...database, get }, vault, clock, log, ...PATIENT });
    await switchboard.refresh();
    const countLooks = async (look: 'catchUp' | 'lookAgain', afterMs: number): Promise<number> => {
      stage.clock.advance(afterMs);
      const before = looks;
      await switchboard[look]();
      return looks - before;
    };
    assert.deepEqual([await countLooks('catchUp', 799), await countLooks('catchUp', 1)], [0, 1]);
    assert.deepEqual([await countLooks('lookAgain', 49), await countLooks('lookAgain', 1)], [0, 1]);
  });

  test('is noticed as soon as the clock says so, even if it was set back', async () => {
    const team = await stage.newTeam();
    const there = elsewhere(team);
    stage.clock.advance(SOON_MS);
    await say(there);
    await change(team, 'PATCH', `/api/telephony/numbers/${team.number.id}`, { answer: { greeting: 'After it.' } });
    stage.clock.advance(-3_600_000);
    assert.match(await say(there), /After it\./);
  });
});

describe('while the database is down', { concurrency: 2 }, () => {
  for (const how of ['cut', 'silent'] as const)
    test(`(${how}) the last known answer stays in effect, within the last known hours`, async (context) => {
      const link = await openDatabaseLink(context);
      const answer = { greeting: 'We are here.', hours: { open: week(ALWAYS), outside: { greeting: 'Closed.' } } };
      const stage = await openTelephonyStage('postgresql', { env: { DATABASE_URL: link.url }, answer });
      const { line } = await stage.newTeam();
      assert.match(await say(line), /We are here\./);
      if (how === 'cut') await link.cut();
      else link.hang();
      for (let times = 0; times < 3; times++) {
        stage.clock.advance(60_000);
        const readMs = startStopwatch();
        assert.match(await say(line), /We are here\./);
        const tookMs = readMs();
        assert.ok(tookMs < 3_000, `${Math.round(tookMs)} ms`);
      }
      const forged = createPhoneLine(stage.server, { id: 'unknown', accountId: `AC${'0'.repeat(32)}` });
      assert.equal((await forged.rings(newCallSid())).statusCode, 403, 'Who is unknown stays so.');
      await link.restore();
      await stage.close();
    });

  test('for a moment, while settings are read: they are read again, and no account stays unknown', async (context) => {
    const stage = await openTelephonyStage('sqlite', { answer: { greeting: 'The first words.' } });
    context.after(() => stage.close());
    const { account } = await stage.newTeam();
    const { database, vault, clock, log } = stage.app;
    let times = 0;
    const open: typeof vault.open = async (...place) => {
      if (++times === 1) throw new DatabaseUnavailable('The connection was lost.');
      return vault.open(...place);
    };
    const switchboard = createSwitchboard({ database, vault: { ...vault, open }, clock, log });
    await assert.rejects(async () => switchboard.catchUp(), { code: 'telephony.not_ready' });
    stage.clock.advance(SOON_MS);
    await switchboard.catchUp();
    assert.deepEqual(
      switchboard.findCandidates('twilio', account.id, null).map(({ id }) => id),
      [account.id],
    );
    const [found] = switchboard.findCandidates('twilio', account.id, null);
    assert.ok(found && switchboard.findLine(found, null, { kind: 'number', value: OUR_NUMBER }));
    assert.equal(switchboard.findLine(found, null, { kind: 'number', value: CALLER }), undefined);
  });
});
