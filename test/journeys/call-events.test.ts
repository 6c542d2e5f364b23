import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCanaries } from '../harness/canaries.ts';
import { onOneEngine } from '../harness/databases.ts';
import { breakTransactions, type FollowedEvent, followEvents } from '../harness/follow-events.ts';
import { CALLER, newCallSid, OUR_NUMBER, openTelephonyStage, SERVICE_URL } from '../harness/telephony-stage.ts';
import { type Chapter, SHAPE_NAMES, signChapter, tellStory } from '../harness/telephony-stories.ts';
import { useStage } from '../harness/use-stage.ts';

const outcomeOf = ({ data }: FollowedEvent): unknown => data['outcome'];

/** Whatever the order of its deliveries: what the events of a call have to add up to. */
const expectWhole = (events: readonly FollowedEvent[], outcome: string, isInbound: boolean): void => {
  const [first, ...others] = events;
  assert.equal(first?.type, 'call.started');
  assert.ok(!others.some(({ type }) => type === 'call.started'), 'It starts once.');
  const ends = others.filter(({ type }) => type === 'call.ended');
  assert.equal(ends.map(outcomeOf).at(-1), outcome);
  for (const [index, end] of ends.entries())
    assert.notEqual(outcomeOf(end), index > 0 && ends[index - 1] ? outcomeOf(ends[index - 1] as FollowedEvent) : null);
  for (const told of ['missed', 'voicemail']) {
    const expected = ends.filter((end) => outcomeOf(end) === told && end.data['direction'] === 'inbound');
    const found = others.filter(({ type }) => type === `call.${told}`);
    assert.equal(found.length, expected.length, `${told}: ${events.map(({ type }) => type)}`);
    assert.equal(found.length > 0 && ends.at(-1) === expected.at(-1), isInbound && outcome === told);
  }
};

/** A different order each time, and the same in each run of the tests. */
const shuffle = (chapters: readonly Chapter[], seed: number): Chapter[] => {
  let state = seed + 1;
  const weigh = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
  return chapters
    .map((chapter) => ({ chapter, weight: weigh() }))
    .sort((left, right) => left.weight - right.weight)
    .map(({ chapter }) => chapter);
};

onOneEngine('what happens to a call', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, { answer: { voicemail: true } }));
  const settle = () => stage.app.telephony.settle();

  const openTeam = async () => {
    const made = await stage.newTeam();
    const log = await followEvents(stage.server, made.member.headers);
    const next = async () => {
      await settle();
      return log.next();
    };
    return { ...made, next, nextTypes: async () => (await next()).map(({ type }) => type) };
  };

  test('is recorded when it is first known and when it has ended, with the call as it is listed', async () => {
    const { line, next, calls } = await openTeam();
    const sid = newCallSid();
    await line.rings(sid);
    const [started, ...none] = await next();
    assert.deepEqual([started?.type, none], ['call.started', []]);
    const [listed] = await calls();
    const url = `${SERVICE_URL}/api/calls/${listed.id}`;
    assert.deepEqual(started?.data, { ...listed, url });
    assert.deepEqual([listed.externalId, listed.from, listed.to], [sid, CALLER, OUR_NUMBER]);
    await line.rings(sid);
    assert.deepEqual(await next(), [], 'Twice the same is no news.');
    await line.dialed(sid, 'completed', { DialCallDuration: '12', DialBridged: 'true' });
    assert.deepEqual(await next(), [], 'It goes on.');
    await line.status(sid, 'completed', { CallDuration: '20' });
    const [ended, ...others] = await next();
    assert.deepEqual([ended?.type, others], ['call.ended', []]);
    assert.deepEqual(ended?.data, { ...(await calls())[0], url });
    assert.equal(ended?.data['outcome'], 'answered');
  });

  test('is recorded when it was missed, and again when it turns out to be a voicemail', async () => {
    const { line, next, nextTypes, calls } = await openTeam();
    const sid = newCallSid();
    await line.rings(sid);
    await line.dialed(sid, 'no-answer');
    await line.status(sid, 'completed');
    const missed = await next();
    assert.deepEqual(
      missed.map(({ type }) => type),
      ['call.started', 'call.ended', 'call.missed'],
    );
    const [listed] = await calls();
    assert.equal(listed.outcome, 'missed');
    assert.deepEqual(missed.at(-1)?.data, { ...listed, url: `${SERVICE_URL}/api/calls/${listed.id}` });
    await line.leavesMessage(sid);
    const voicemail = await next();
    assert.deepEqual(
      voicemail.map(({ type, data }) => [type, data['outcome']]),
      [
        ['call.ended', 'voicemail'],
        ['call.voicemail', 'voicemail'],
      ],
    );
    await line.leavesMessage(sid);
    await line.status(sid, 'completed');
    assert.deepEqual(await nextTypes(), []);
  });

  test('is recorded as returned when someone says so, once', async () => {
    const { line, next, member, calls } = await openTeam();
    const sid = newCallSid();
    await line.rings(sid);
    await line.status(sid, 'completed');
    await next();
    const [{ id }] = await calls();
    const mark = () =>
      stage.server.inject({ method: 'POST', url: `/api/calls/${id}/returned`, headers: member.headers });
    const marked = await Promise.all([mark(), mark(), mark()]);
    const [returned, ...none] = await next();
    assert.deepEqual([returned?.type, none], ['call.returned', []]);
    assert.deepEqual(returned?.data, { ...marked[0]?.json(), url: `${SERVICE_URL}/api/calls/${id}` });
    assert.ok(returned?.data['returnedAt']);
  });

  test('says that it was already returned if deliveries about it come late', async () => {
    const { line, next } = await openTeam();
    const sid = newCallSid();
    await line.rings(sid);
    stage.clock.advance(60_000);
    const back = { From: OUR_NUMBER, To: CALLER, Direction: 'outbound-api' };
    await line.status(newCallSid(), 'completed', { ...back, CallDuration: '9' });
    await next();
    await line.status(sid, 'no-answer');
    const [ended] = await next();
    assert.deepEqual([ended?.type, ended?.data['outcome']], ['call.ended', 'missed']);
    assert.equal(ended?.data['returnedAt'], new Date(stage.clock.now()).toISOString());
  });

  for (const name of SHAPE_NAMES)
    test(`${name}: is recorded once, in whatever order and however often it is reported`, async () => {
      const { account, next } = await openTeam();
      const isInbound = !name.startsWith('made by us');
      const other = await stage.openOther();
      try {
        for (const seed of [0, 7, 23]) {
          const { chapters, ending } = tellStory(name);
          const requests = shuffle([...chapters, ...chapters], seed).map((chapter) => signChapter(account, chapter));
          // One after the other, in two processes at once.
          for (const { digest: _, ...request } of requests) {
            await Promise.all([stage.server.inject(request), other.server.inject(request)]);
            if (seed === 0) await Promise.all([settle(), other.app.telephony.settle()]);
          }
          await other.app.telephony.settle();
          // What happens to its recordings has no fixed place between these.
          const events = (await next()).filter(({ type }) => type.startsWith('call.'));
          expectWhole(events, ending.outcome, isInbound);
        }
      } finally {
        await other.close();
      }
    });

  test('leaves no event if the change is rolled back, and one when it is made', async () => {
    const { line, nextTypes } = await openTeam();
    const { mend } = breakTransactions(stage.app);
    await line.rings(newCallSid());
    try {
      await settle();
    } finally {
      mend();
    }
    assert.deepEqual(await nextTypes(), []);
    await line.rings(newCallSid());
    assert.deepEqual(await nextTypes(), ['call.started']);
  });

  test('cannot be read in the database', async () => {
    const { line, next } = await openTeam();
    const caller = '+15557654321';
    await line.rings(newCallSid(), { From: caller });
    assert.equal((await next())[0]?.data['from'], caller);
    const rows = { events: JSON.stringify(await stage.app.database.all('select * from events')) };
    assert.deepEqual(findCanaries({ caller, digits: caller.slice(1) }, rows), []);
  });
});
