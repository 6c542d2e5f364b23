import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../../../test/harness/app.ts';
import { OPERATOR, putCustomer } from '../../../test/harness/customers.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { holdAnswer } from '../../../test/harness/hold-database.ts';
import { runTogether } from '../../../test/harness/run-together.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import type { Transaction } from '../../platform/index.ts';
import type { NewEvent } from './event.ts';
import { numberEvents } from './number-events.ts';
import { createRecorder } from './record-events.ts';

const DAY_MS = 24 * 3_600_000;

const callOf = (teamId: string, subject: string): NewEvent => ({
  teamId,
  type: 'call.started',
  subject,
  data: { id: subject, from: '+15550100001' },
});

onEachEngine('the log of events', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  let teams = 0;
  const createTeam = () => house.createTeam(`log-${++teams}`);

  const record = (...events: NewEvent[]) =>
    house.app.database.transaction((tx) => house.app.events.record(tx, ...events));

  const follow = async (headers: Record<string, string>, query: Record<string, string> = {}, path = '/api/events') => {
    const answer = await house.server.inject({ url: `${path}?${new URLSearchParams(query)}`, headers });
    const { events = [], ...rest } = answer.json();
    const subjects = events.map(({ data }: { data: { id: string } }) => data.id);
    return { status: answer.statusCode, events, subjects, ...rest };
  };

  test('refuses strangers, and shows a team nothing of another', async () => {
    const { team } = await createTeam();
    const other = await createTeam();
    await record(callOf(team.id, 'secret-call'));
    assert.equal((await house.server.inject({ url: '/api/events' })).statusCode, 401);
    assert.equal((await house.server.inject({ url: '/api/operator/events' })).statusCode, 401);
    assert.deepEqual((await follow(other.member.headers)).events, []);
    assert.equal((await follow(other.admin.headers, {}, '/api/operator/events')).status, 401);
  });

  test('has what was recorded, oldest first, in the order of recording, with numbers without gaps', async () => {
    const { team, member } = await createTeam();
    await record(callOf(team.id, 'a'), callOf(team.id, 'b'), callOf(team.id, 'c'));
    await record(callOf(team.id, 'd'));
    const { events, nextCursor } = await follow(member.headers);
    assert.deepEqual(
      events.map(({ data, sequence }: { data: { id: string }; sequence: number }) => [data.id, sequence]),
      [
        ['a', 1],
        ['b', 2],
        ['c', 3],
        ['d', 4],
      ],
    );
    const { id, ...first } = events[0];
    assert.match(id, /^evt_/);
    assert.deepEqual(first, {
      type: 'call.started',
      timestamp: new Date(clock.now()).toISOString(),
      sequence: 1,
      team: { id: team.id, key: null },
      data: { id: 'a', from: '+15550100001' },
    });
    assert.deepEqual((await follow(member.headers, { after: nextCursor })).events, []);
    assert.deepEqual((await follow(member.headers, { after: events[1].id })).subjects, ['c', 'd']);
    const page = await follow(member.headers, { limit: '3' });
    assert.deepEqual(page.subjects, ['a', 'b', 'c']);
    assert.deepEqual((await follow(member.headers, { limit: '3', after: page.nextCursor })).subjects, ['d']);
  });

  test('has nothing of what was rolled back', async () => {
    const { team, member } = await createTeam();
    const failing = house.app.database.transaction(async (tx) => {
      await house.app.events.record(tx, callOf(team.id, 'never'));
      throw new Error('The cause failed.');
    });
    await assert.rejects(failing, /cause failed/);
    assert.deepEqual((await follow(member.headers)).events, []);
  });

  test('has what happened to one thing in that order, even if clocks of processes differ', async () => {
    const { team, member } = await createTeam();
    const behind = createTestClock(clock.now() - DAY_MS);
    const late = createRecorder({ ...house.app, clock: behind, onRecorded: () => undefined });
    await record(callOf(team.id, 'a'));
    const others: NewEvent[] = [
      { ...callOf(team.id, 'a'), type: 'call.ended' },
      { ...callOf(team.id, 'a'), type: 'call.missed' },
    ];
    await house.app.database.transaction((tx) => late.record(tx, ...others));
    await record({ ...callOf(team.id, 'a'), type: 'call.returned' });
    const { events } = await follow(member.headers);
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      ['call.started', 'call.ended', 'call.missed', 'call.returned'],
    );
  });

  test('can be followed by type', async () => {
    const { team, member } = await createTeam();
    await record(callOf(team.id, 'a'), { ...callOf(team.id, 'b'), type: 'call.missed' });
    assert.deepEqual((await follow(member.headers, { type: 'call.missed' })).subjects, ['b']);
    assert.equal((await follow(member.headers, { type: 'call.imagined' })).status, 400);
  });

  test('keeps what happened sealed', async () => {
    const { team } = await createTeam();
    await record(callOf(team.id, 'sealed'));
    const rows = await house.app.database.all<object>('select * from events where team_id = $1', [team.id]);
    assert.equal(rows.length, 1);
    assert.doesNotMatch(JSON.stringify(rows), /15550100001/);
  });

  test('shows the operator only teams with a key', async () => {
    const { team } = await createTeam();
    const { id } = await putCustomer(house, 'log-customer');
    await record(callOf(team.id, 'unkeyed'), callOf(id, 'keyed'));
    const { events, subjects } = await follow(OPERATOR, {}, '/api/operator/events');
    assert.deepEqual(subjects, ['keyed']);
    assert.deepEqual(events[0].team, { id, key: 'log-customer' });
  });

  test('cuts what is too large, and says so', async () => {
    const { team, member } = await createTeam();
    const scopes = Array.from({ length: 2_000 }, (_, index) => `scope-${index}-of-many`);
    await record({ ...callOf(team.id, 'large'), data: { id: 'large', label: 'x'.repeat(1_000), scopes } });
    const { events } = await follow(member.headers);
    assert.deepEqual(events[0].data, { id: 'large', label: 'x'.repeat(300), truncated: true });
  });

  test('refuses a place that never was, and one that is past', async () => {
    const { team, member } = await createTeam();
    const beginning = await follow(member.headers);
    await record(callOf(team.id, 'old'));
    const { events, nextCursor } = await follow(member.headers);
    const refusalOf = async (after: string) => {
      const { status, code } = await follow(member.headers, { after });
      return [status, code];
    };
    assert.deepEqual(await refusalOf('nonsense'), [400, 'events.cursor_invalid']);
    assert.deepEqual(await refusalOf(Buffer.from('999999999').toString('base64url')), [400, 'events.cursor_invalid']);
    assert.deepEqual(await refusalOf(`evt_${house.app.newId()}`), [400, 'events.cursor_invalid']);
    clock.advance(20 * DAY_MS);
    await record(callOf(team.id, 'young'));
    const later = await follow(member.headers, { after: nextCursor });
    clock.advance(11 * DAY_MS);
    await house.app.events.prune();
    assert.deepEqual(await refusalOf(events[0].id), [410, 'events.cursor_expired']);
    assert.deepEqual(await refusalOf(beginning.nextCursor), [410, 'events.cursor_expired']);
    assert.deepEqual((await follow(member.headers)).subjects, ['young']);
    assert.deepEqual((await follow(member.headers, { after: later.nextCursor })).subjects, []);
  });

  test('says that a place is past, also to someone who reads on from there while it is pruned', async () => {
    const { team, member } = await createTeam();
    const { nextCursor: after } = await follow(member.headers);
    await record(callOf(team.id, 'old'));
    await follow(member.headers);
    clock.advance(31 * DAY_MS);
    await record(callOf(team.id, 'young'));
    await follow(member.headers);
    const looking = holdAnswer(house.app.database, 'get', 'from event_log ');
    const reading = follow(member.headers, { after });
    await looking.answered;
    await house.app.events.prune();
    looking.release();
    const { status, code } = await reading;
    assert.deepEqual([status, code], [410, 'events.cursor_expired']);
  });

  test('is pruned in time, also behind what a clock recorded that was ahead', async () => {
    const { team, member } = await createTeam();
    const { database, events: log } = house.app;
    clock.advance(365 * DAY_MS);
    await record(...Array.from({ length: 250 }, () => callOf(team.id, 'from the future')));
    await follow(member.headers);
    clock.advance(-365 * DAY_MS);
    await log.prune();
    await record(callOf(team.id, 'old'));
    await follow(member.headers);
    clock.advance(20 * DAY_MS);
    await record(callOf(team.id, 'young'));
    await log.prune();
    const left = await database.all('select id from events where team_id = $1', [team.id]);
    assert.equal(left.length, 252);
    clock.advance(11 * DAY_MS);
    await log.prune();
    assert.deepEqual((await follow(member.headers)).subjects, ['young']);
    assert.deepEqual(
      await database.all('select position from event_log_turns where position <= (select pruned from event_log)'),
      [],
    );
  });

  if (engine === 'sqlite')
    test('is pruned at once, however much is past its time', async () => {
      const { team, member } = await createTeam();
      await record(...Array.from({ length: 401 }, () => callOf(team.id, 'old')));
      await follow(member.headers);
      clock.advance(31 * DAY_MS);
      await record(callOf(team.id, 'young'));
      await follow(member.headers);
      await house.app.events.prune();
      assert.equal((await house.app.database.all('select id from events where team_id = $1', [team.id])).length, 1);
      assert.deepEqual((await follow(member.headers)).subjects, ['young']);
    });

  test('tells nobody how much happens in other teams', async () => {
    const [mine, other] = [await createTeam(), await createTeam()];
    const cursorOf = async () => (await follow(mine.member.headers)).nextCursor;
    const before = Buffer.from(await cursorOf(), 'base64url');
    await record(callOf(other.team.id, 'of another team'));
    const after = Buffer.from(await cursorOf(), 'base64url');
    assert.equal(after.length, 16);
    const differing = [...after].filter((byte, index) => byte !== before[index]).length;
    assert.ok(differing > 8, 'One more looks like any other number.');
    const theirs = (await follow(other.member.headers)).nextCursor;
    const forged = Buffer.from(after.map((byte, index) => (index === 0 ? byte ^ 1 : byte))).toString('base64url');
    for (const cursor of [
      theirs,
      forged,
      Buffer.from('1').toString('base64url'),
      Buffer.alloc(16).toString('base64url'),
    ])
      assert.equal((await follow(mine.member.headers, { after: cursor })).code, 'events.cursor_invalid', cursor);
  });

  test('stays good for a team in which nothing happens for months', async () => {
    const { team, member } = await createTeam();
    const busy = await createTeam();
    await record(callOf(team.id, 'early'));
    let { nextCursor } = await follow(member.headers);
    for (let month = 0; month < 3; month++) {
      clock.advance(29 * DAY_MS);
      await record(callOf(busy.team.id, `month ${month}`));
      await house.app.events.prune();
      const { status, events, nextCursor: next } = await follow(member.headers, { after: nextCursor });
      assert.deepEqual([status, events], [200, []]);
      nextCursor = next;
    }
    await record(callOf(team.id, 'late'));
    assert.deepEqual((await follow(member.headers, { after: nextCursor })).subjects, ['late']);
  });

  if (engine === 'postgresql') {
    test('has what commits late, too, for readers who are already past what committed early', async () => {
      const { team, member } = await createTeam();
      const begun = Promise.withResolvers<void>();
      const mayCommit = Promise.withResolvers<void>();
      const late = house.app.database.transaction(async (tx: Transaction) => {
        await house.app.events.record(tx, callOf(team.id, 'recorded first'));
        begun.resolve();
        await mayCommit.promise;
      });
      await begun.promise;
      await record(callOf(team.id, 'committed first'));
      const early = await follow(member.headers);
      assert.deepEqual(early.subjects, ['committed first']);
      mayCommit.resolve();
      await late;
      assert.deepEqual((await follow(member.headers, { after: early.nextCursor })).subjects, ['recorded first']);
      const { events } = await follow(member.headers);
      assert.deepEqual(
        events.map(({ sequence }: { sequence: number }) => sequence),
        [1, 2],
      );
    });
  }

  test('has nothing new before what could be read, if two processes number at the same moment', async () => {
    const { team, member } = await createTeam();
    const other = { ...house.app.database };
    const recordAt = (at: number, subject: string) => {
      const recorder = createRecorder({ ...house.app, clock: createTestClock(at), onRecorded: () => undefined });
      return other.transaction((tx) => recorder.record(tx, callOf(team.id, subject)));
    };
    await recordAt(clock.now(), 'numbered first');
    const recordAndNumber = async () => {
      await recordAt(clock.now() - DAY_MS, 'by a clock that is behind');
      await numberEvents({ database: other });
    };
    const { database } = house.app;
    await runTogether(database, 'event_log', [() => numberEvents({ database }), recordAndNumber]);
    assert.deepEqual((await follow(member.headers)).subjects, ['numbered first', 'by a clock that is behind']);
  });

  test('misses nothing and repeats nothing while many write and many number', async () => {
    const { team, member } = await createTeam();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let turn = 0; turn < 15; turn++) await record(callOf(team.id, `${writer}-${turn}`));
    });
    let isWriting = true;
    const written = Promise.all(writers).then(() => {
      isWriting = false;
    });
    const readAll = async (): Promise<string[]> => {
      const seen: string[] = [];
      let after: string | undefined;
      for (let isLast = false; ; ) {
        const { subjects, nextCursor } = await follow(member.headers, { ...(after && { after }), limit: '7' });
        seen.push(...subjects);
        after = nextCursor;
        if (subjects.length === 0 && isLast) return seen;
        isLast = !isWriting;
      }
    };
    const readings = await Promise.all([readAll(), readAll(), readAll()]);
    await written;
    for (const seen of readings) {
      assert.equal(seen.length, 120);
      assert.equal(new Set(seen).size, 120);
      for (let writer = 0; writer < 8; writer++) {
        const own = seen.filter((subject) => subject.startsWith(`${writer}-`));
        assert.deepEqual(
          own,
          Array.from({ length: 15 }, (_, turn) => `${writer}-${turn}`),
          'Each writer’s events are in order.',
        );
      }
    }
  });
});
