import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../src/platform/index.ts';
import { firstBasis } from '../../src/reports/figures/basis.ts';
import { countFigures } from '../../src/reports/figures/count-figures.ts';
import { recountFigures } from '../../src/reports/figures/recount-figures.ts';
import { shiftWeek, spanOf } from '../../src/reports/week/week.ts';
import { getTeam } from '../../src/teams/index.ts';
import { countWeek } from '../../src/telephony/figures/call-figures-store.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const WEEK = '2026-W46';
const MINUTE_MS = 60_000;
/** More than two pages. */
const MANY = 10_001;

/** Every list in a fixed order: a count in pages comes in the order of the pages. */
const inOrder = (counted: object) =>
  Object.entries(counted).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value,
  ]);

onEachEngine('the report of a team with very many calls', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  /**
   * Calls of the week and the week before, many of them at the same moment, from few people to few numbers, in every order
   * of who spoke with whom. As many recordings.
   */
  const fill = async (count: number) => {
    const { database } = stage.app;
    const made = await stage.newTeam();
    const teamId = made.team.id;
    const team = (await getTeam(database, teamId)) ?? assert.fail();
    const span = spanOf(WEEK, team.timeZone);
    const beforeStartsAt = spanOf(shiftWeek(WEEK, -1), team.timeZone).startsAt;
    const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count}),
      given (n, at) as (select n, ${beforeStartsAt} + (n * 37 % 28) * ${12 * 60 * MINUTE_MS} from numbers)`;
    await database.run(
      `insert into calls (id, team_id, account_id, provider, external_id, direction, from_hash, to_hash, status, outcome,
          evidence, started_at, answered_at, ended_at, talk_seconds, marked_returned_at, updated_at)
        ${numbers} select '${teamId}' || cast(n * 7919 % 100003 as text), $1, $2, 'twilio', cast(n as text),
          case when n % 5 = 0 then 'outbound' else 'inbound' end, 'p' || cast(n % 11 as text), 'p' || cast(n % 7 as text),
          'ended', case n % 4 when 0 then 'answered' when 1 then 'voicemail' else 'missed' end, '[]', at,
          case when n % 4 = 0 then at + n % 13 * 1000 + 5 end, case when n % 6 > 0 then at + 20000 end, n % 9,
          case when n % 17 = 0 then at + 1 end, at + n % 3 * ${60 * MINUTE_MS} from given`,
      [teamId, made.account.id],
    );
    await database.run(
      `insert into recordings (id, team_id, account_id, provider, external_id, told_status, state, created_at)
        ${numbers} select '${teamId}' || cast(n * 7919 % 100003 as text), $1, $2, 'twilio', cast(n as text), 'available',
          case when n % 3 = 0 then 'failed' else 'archived' end, at from given`,
      [teamId, made.account.id],
    );
    return { team, span: { ...span, beforeStartsAt, pieceMs: 15 * MINUTE_MS, asOf: span.endsAt } };
  };

  test('is the same however little is read at a time', async () => {
    const { team, span } = await fill(120);
    const count = async (page: number) =>
      inOrder(await countWeek(stage.app.database, team.id, span, { mostWaiting: 9, page }));
    const whole = await count(1_000);
    for (const page of [1, 2, 7, 50]) assert.deepEqual(await count(page), whole, `pages of ${page}`);
    const recounted = await recountFigures(stage.app, firstBasis(team, span.endsAt), WEEK);
    assert.deepEqual(Object.fromEntries(whole)['callers'], recounted.callers);
  });

  test('takes a few thousand calls at a time, so that others are read in between', async () => {
    const { app } = stage;
    const { team, span } = await fill(MANY);
    let reads = 0;
    const scan: Database['scan'] = (text, values) => {
      reads++;
      return app.database.scan(text, values);
    };
    const basis = firstBasis(team, span.endsAt);
    const counted = await countFigures({ ...app, database: { ...app.database, scan } }, basis, WEEK);
    assert.equal(reads, 3);
    const { integrations, ...figures } = counted;
    assert.deepEqual(figures, await recountFigures(app, basis, WEEK));
  });
});
