import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Transaction } from '../../src/platform/index.ts';
import { firstBasis } from '../../src/reports/figures/basis.ts';
import { countFigures } from '../../src/reports/figures/count-figures.ts';
import type { Figures } from '../../src/reports/figures/figures.ts';
import { recountFigures } from '../../src/reports/figures/recount-figures.ts';
import { shiftWeek, spanOf } from '../../src/reports/week/week.ts';
import { DAYS, getTeam } from '../../src/teams/index.ts';
import { createTestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;
/** Weeks with a clock change there, and one without. */
const WEEKS: readonly (readonly [zone: string, week: string])[] = [
  ['Europe/Berlin', '2026-W13'],
  ['Europe/Berlin', '2026-W43'],
  ['America/New_York', '2026-W10'],
  ['America/New_York', '2026-W44'],
  ['Australia/Lord_Howe', '2026-W14'],
  ['Africa/Cairo', '2026-W17'],
  ['America/Santiago', '2026-W36'],
  ['Asia/Kathmandu', '2026-W46'],
];
const OUTCOMES = ['answered', 'missed', 'abandoned', 'voicemail', 'busy', 'failed', 'unknown', null] as const;
/** Not on a quarter hour. */
const OPEN = [
  { opens: '08:10', closes: '12:00' },
  { opens: '13:07', closes: '17:30' },
];
const UNTAKEN = ['missed', 'abandoned', 'voicemail', 'busy', 'failed'];

type Call = {
  startedAt: number;
  direction: 'inbound' | 'outbound';
  outcome: (typeof OUTCOMES)[number];
  person: number;
  waitSeconds: number;
  talkSeconds: number;
  line: number;
  newsAfterMinutes: number;
};

const anyCall = (startsAt: number, endsAt: number): fc.Arbitrary<Call> =>
  fc.record({
    // Also just before and just after the week, and at its boundaries.
    startedAt: fc.oneof(
      fc.integer({ min: startsAt - 26 * HOUR_MS, max: endsAt + 26 * HOUR_MS }),
      fc.constantFrom(startsAt, startsAt - 1, endsAt - 1, endsAt),
    ),
    direction: fc.constantFrom('inbound', 'inbound', 'inbound', 'outbound'),
    outcome: fc.constantFrom(...OUTCOMES),
    person: fc.integer({ min: 1, max: 6 }),
    waitSeconds: fc.integer({ min: 0, max: 40 }),
    talkSeconds: fc.integer({ min: 0, max: 900 }),
    line: fc.integer({ min: 1, max: 3 }),
    newsAfterMinutes: fc.constantFrom(0, 60, 61, 5_000),
  });

/** Counted call by call, with nothing in common with how the service does it. */
const recount = (
  calls: readonly Call[],
  { zone, startsAt, endsAt }: { zone: string; startsAt: number; endsAt: number },
) => {
  const week = calls.filter(({ startedAt }) => startedAt >= startsAt && startedAt < endsAt);
  const inbound = week.filter(({ direction }) => direction === 'inbound');
  const answered = inbound.filter(({ outcome }) => outcome === 'answered');
  const untaken = inbound.filter(({ outcome }) => UNTAKEN.includes(outcome ?? ''));
  const heat = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  for (const { startedAt } of week) {
    const wall = new Date(startedAt).toLocaleString('sv-SE', { timeZone: zone });
    const weekday = (new Date(`${wall.slice(0, 10)}T00:00:00Z`).getUTCDay() + 6) % 7;
    const row = heat[weekday];
    const hour = Number(wall.slice(11, 13));
    if (row) row[hour] = (row[hour] ?? 0) + 1;
  }
  const waits = answered.map(({ waitSeconds }) => waitSeconds).sort((left, right) => left - right);
  const at = (part: number): number => waits[Math.ceil(waits.length * part) - 1] ?? 0;
  const people = new Set(inbound.map(({ person }) => person));
  const isReturned = (missed: Call): boolean =>
    calls.some(
      ({ person, direction, outcome, startedAt }) =>
        person === missed.person &&
        startedAt > missed.startedAt &&
        (direction === 'outbound' || outcome === 'answered'),
    );
  return {
    inbound: inbound.length,
    outbound: week.length - inbound.length,
    answered: answered.length,
    missed: inbound.filter(({ outcome }) => outcome === 'missed').length,
    talk: week.reduce((sum, { outcome, talkSeconds }) => sum + (outcome === 'answered' ? talkSeconds : 0), 0),
    seconds: waits.length === 0 ? null : { median: at(0.5), p90: at(0.9) },
    heat,
    callers: people.size,
    firstTime: [...people].filter(
      (who) =>
        !calls.some(
          ({ person, direction, startedAt }) => person === who && direction === 'inbound' && startedAt < startsAt,
        ),
    ).length,
    repeat: [...people].filter((who) => inbound.filter(({ person }) => person === who).length > 1).length,
    waiting: untaken.filter((call) => !isReturned(call)).length,
    withoutEnd: week.filter(({ outcome }) => outcome === null).length,
    late: week.filter(({ outcome, newsAfterMinutes }) => outcome !== null && newsAfterMinutes > 60).length,
    insideHours: untaken.filter(({ startedAt }) => {
      const wall = new Date(startedAt).toLocaleString('sv-SE', { timeZone: zone });
      const time = wall.slice(11, 16);
      return (time >= '08:10' && time < '12:00') || (time >= '13:07' && time < '17:30');
    }).length,
  };
};

onEachEngine('a week’s figures', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  let made = 0;
  const newTeam = async (zone: string) => {
    const { team, admin } = await stage.createTeam(`figures${++made}`);
    const changed = await stage.server.inject({
      method: 'PATCH',
      url: '/api/team',
      headers: admin.headers,
      payload: { timeZone: zone, businessHours: Object.fromEntries(DAYS.map((day) => [day, OPEN])) },
    });
    assert.equal(changed.statusCode, 200);
    const accountId = stage.app.newId();
    await stage.app.database.run(
      `insert into telephony_accounts (id, team_id, provider, secrets, mode, removes_archived, change, created_at)
        values ($1, $2, 'none', '', 'enforce', 0, $3, 1)`,
      [accountId, team.id, -made],
    );
    return { teamId: team.id, accountId };
  };

  const insert = (tx: Transaction, teamId: string, accountId: string, call: Call): Promise<number> => {
    const id = stage.app.newId();
    const isAnswered = call.outcome === 'answered';
    const person = `person ${call.person}`;
    const line = `line ${call.line}`;
    const endedAt = call.outcome === null ? null : call.startedAt + 60_000;
    const [from, to] = call.direction === 'inbound' ? [person, line] : [line, person];
    return tx.run(
      `insert into calls (id, team_id, account_id, provider, external_id, direction, from_hash, to_hash, status, outcome,
        evidence, started_at, answered_at, ended_at, talk_seconds, updated_at)
        values ($1, $2, $3, 'none', $1, $4, $5, $6, $7, $8, '[]', $9, $10, $11, $12, $13)`,
      [
        id,
        teamId,
        accountId,
        call.direction,
        from,
        to,
        call.outcome === null ? 'ringing' : 'ended',
        call.outcome,
        call.startedAt,
        isAnswered ? call.startedAt + call.waitSeconds * 1_000 : null,
        endedAt,
        isAnswered ? call.talkSeconds : null,
        (endedAt ?? call.startedAt) + call.newsAfterMinutes * 60_000,
      ],
    );
  };

  const toPlain = ({ calls, outcomes, talkSeconds, secondsToAnswer, heat, callers, ...rest }: Figures) => ({
    inbound: calls.inbound.value,
    outbound: calls.outbound.value,
    answered: outcomes.answered.value,
    missed: outcomes.missed.value,
    talk: talkSeconds.value,
    seconds: secondsToAnswer,
    heat: heat.map((row) => row.map((count) => count ?? 0)),
    callers: callers.total,
    firstTime: callers.firstTime,
    repeat: callers.repeat,
    waiting: rest.unreturned.total,
    ...rest.quality,
    insideHours: rest.missedByHours?.inside,
  });

  for (const [zone, week] of WEEKS)
    test(`${week} in ${zone} match a count by hand`, async () => {
      const { startsAt, endsAt } = spanOf(week, zone);
      await fc.assert(
        fc.asyncProperty(fc.array(anyCall(startsAt, endsAt), { maxLength: 60 }), async (calls) => {
          const { teamId, accountId } = await newTeam(zone);
          await stage.app.database.transaction(async (tx) => {
            for (const call of calls) await insert(tx, teamId, accountId, call);
          });
          const team = (await getTeam(stage.app.database, teamId)) ?? assert.fail();
          const asOf = endsAt + 1_000 * HOUR_MS;
          const figures = await countFigures(stage.app, firstBasis(team, asOf), week);
          assert.deepEqual(toPlain(figures), recount(calls, { zone, startsAt, endsAt }));
          const { integrations: _, ...facts } = figures;
          assert.deepEqual(await recountFigures(stage.app, firstBasis(team, asOf), week), facts);
          const hours = figures.heat.flat().filter((count) => count !== null).length;
          assert.ok(hours <= 168 && hours >= 167, `${hours} hours have a figure`);
          const before = await countFigures(stage.app, firstBasis({ ...team, createdAt: 0 }, asOf), shiftWeek(week, 1));
          assert.equal(
            before.calls.inbound.before,
            figures.calls.inbound.value,
            'The next week compares with this one.',
          );
        }),
        { numRuns: 6 },
      );
    });

  test('count a missed call as inside business hours from when they open to just before they close', async () => {
    const [zone, week] = ['Europe/Berlin', '2026-W46'];
    const { startsAt, endsAt } = spanOf(week, zone);
    const { teamId, accountId } = await newTeam(zone);
    const team = (await getTeam(stage.app.database, teamId)) ?? assert.fail();
    const add = (time: string) =>
      stage.app.database.transaction((tx) =>
        insert(tx, teamId, accountId, {
          ...{ startedAt: startsAt + Date.parse(`1970-01-01T${time}Z`), direction: 'inbound', outcome: 'missed' },
          ...{ person: 1, waitSeconds: 0, talkSeconds: 0, line: 1, newsAfterMinutes: 0 },
        }),
      );
    const expectCounted = async (figures: object): Promise<void> => {
      for (const count of [countFigures, recountFigures]) {
        const { missedByHours } = await count(stage.app, firstBasis(team, endsAt), week);
        assert.deepEqual(missedByHours, figures, count.name);
      }
    };
    for (const time of ['08:10:00.000', '11:59:59.999', '13:07:00.000', '17:29:59.999']) await add(time);
    await expectCounted({ inside: 4, outside: 0 });
    for (const time of ['08:09:59.999', '12:00:00.000', '13:06:59.999', '17:30:00.000']) await add(time);
    await expectCounted({ inside: 4, outside: 4 });
  });

  /** Worked out with pencil and paper, because both counts could be wrong in the same way. */
  const RECKONED: Record<string, { waits: number[]; missed: number; unknown: number; figures: object }> = {
    'ten waits, of which parts of a second do not count': {
      ...{ waits: [34, 1, 1.999, 2, 21, 3, 4.999, 13, 5, 8], missed: 2, unknown: 1 },
      figures: { missedPercent: 15.4, secondsToAnswer: { median: 4, p90: 21 } },
    },
    'eleven waits': {
      ...{ waits: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], missed: 1, unknown: 0 },
      figures: { missedPercent: 8.3, secondsToAnswer: { median: 6, p90: 10 } },
    },
    'two waits': {
      ...{ waits: [9, 1], missed: 0, unknown: 0 },
      figures: { missedPercent: 0, secondsToAnswer: { median: 1, p90: 9 } },
    },
    'no wait at all': {
      ...{ waits: [], missed: 1, unknown: 7 },
      figures: { missedPercent: 12.5, secondsToAnswer: null },
    },
  };
  for (const [what, { waits, missed, unknown, figures }] of Object.entries(RECKONED))
    test(`with ${what} are ${JSON.stringify(figures)}, however they are counted`, async () => {
      const [zone, week] = ['Europe/Berlin', '2026-W46'];
      const { startsAt, endsAt } = spanOf(week, zone);
      const { teamId, accountId } = await newTeam(zone);
      const plain = {
        direction: 'inbound',
        person: 1,
        waitSeconds: 0,
        talkSeconds: 60,
        line: 1,
        newsAfterMinutes: 0,
      } as const;
      const calls: Omit<Call, 'startedAt'>[] = [
        ...waits.map((waitSeconds) => ({ ...plain, outcome: 'answered' as const, waitSeconds })),
        ...Array.from({ length: missed }, () => ({ ...plain, outcome: 'missed' as const })),
        ...Array.from({ length: unknown }, () => ({ ...plain, outcome: 'unknown' as const })),
        { ...plain, outcome: null },
      ];
      await stage.app.database.transaction(async (tx) => {
        for (const [index, call] of calls.entries())
          await insert(tx, teamId, accountId, { ...call, startedAt: startsAt + index * HOUR_MS });
      });
      const team = (await getTeam(stage.app.database, teamId)) ?? assert.fail();
      for (const count of [countFigures, recountFigures]) {
        const { missedPercent, secondsToAnswer } = await count(stage.app, firstBasis(team, endsAt), week);
        assert.deepEqual({ missedPercent, secondsToAnswer }, figures, count.name);
      }
    });
});
