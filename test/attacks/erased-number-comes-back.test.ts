import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handlePruneTelephony } from '../../src/telephony/erasure/prune-telephony.job.ts';
import { onEachEngine } from '../harness/databases.ts';
import { storeUnprocessed } from '../harness/store-unprocessed.ts';
import { newCallSid, newRecordingSid, OUR_NUMBER, openTelephonyStage, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const PERSON = '+4915112345678';
const OTHER = '+4915187654321';
const DAY_MS = 24 * 3_600_000;
/** More than are looked through at once. */
const MANY = 60;

onEachEngine('an erased number', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  type Team = Awaited<ReturnType<typeof stage.newTeam>>;

  const erase = async ({ admin }: Team) => {
    const request = { method: 'POST', url: '/api/telephony/erase', payload: { number: PERSON } } as const;
    return (await stage.server.inject({ ...request, headers: admin.headers })).json();
  };

  const whatIsLeft = async ({ team }: Team) => {
    const count = async (what: string) =>
      (await stage.app.database.all(`select id from ${what} and team_id = $1`, [team.id])).length;
    return {
      calls: await count('calls where true'),
      recordings: await count('recordings where true'),
      payloads: await count('deliveries where payload is not null'),
    };
  };

  test('does not come back with a recording that is reported later, nor with anything else about the call', async () => {
    const team = await stage.newTeam();
    const sid = newCallSid();
    await team.line.rings(sid, { From: PERSON });
    await stage.app.telephony.settle();
    assert.equal((await erase(team)).calls, 1);
    assert.ok((await team.line.status(sid, 'completed', { From: PERSON })).statusCode < 300);
    assert.ok((await team.line.recorded(sid, newRecordingSid())).statusCode < 300);
    await stage.app.telephony.settle();
    assert.deepEqual(await whatIsLeft(team), { calls: 0, recordings: 0, payloads: 0 });
    await team.line.rings(newCallSid(), { From: OTHER });
    await stage.app.telephony.settle();
    assert.deepEqual(await whatIsLeft(team), { calls: 1, recordings: 0, payloads: 1 });
  });

  const phoneOf = ({ team, account: { id, accountId } }: Team) => ({ id, accountId, teamId: team.id });
  const chapterOf = (From: string) => ({
    path: VOICE,
    query: '',
    params: { CallSid: newCallSid(), From, To: OUR_NUMBER, Direction: 'inbound', CallStatus: 'ringing' },
  });

  test('does not come back with a delivery that was waiting behind very many of another team', async () => {
    const team = await stage.newTeam();
    await storeUnprocessed(stage.app, phoneOf(team), [chapterOf(PERSON)]);
    stage.clock.advance(1);
    const many = Array.from({ length: 60 }, () => chapterOf(OTHER));
    await storeUnprocessed(stage.app, phoneOf(await stage.newTeam()), many);
    await erase(team);
    assert.deepEqual(await whatIsLeft(team), { calls: 0, recordings: 0, payloads: 0 });
  });

  test('does not come back with a delivery that was waiting to be processed', async () => {
    const team = await stage.newTeam();
    await storeUnprocessed(stage.app, phoneOf(team), [chapterOf(PERSON), chapterOf(OTHER)]);
    await erase(team);
    stage.clock.advance(10_000);
    await stage.app.telephony.context.processing.workOff();
    assert.deepEqual(
      (await team.calls()).map(({ from }: { from: string }) => from),
      [OTHER],
    );
    assert.deepEqual(await whatIsLeft(team), { calls: 1, recordings: 0, payloads: 1 });
  });

  test('does not come back with any of many deliveries that came at the same moment', async () => {
    const team = await stage.newTeam();
    const { id, accountId } = team.account;
    const phone = { id, accountId, teamId: team.team.id };
    const said = { From: PERSON, Direction: 'inbound', CallStatus: 'ringing' };
    const rings = Array.from({ length: MANY }, () => ({
      path: VOICE,
      query: '',
      params: { ...said, CallSid: newCallSid(), To: OUR_NUMBER },
    }));
    await storeUnprocessed(stage.app, phone, rings);
    await erase(team);
    assert.deepEqual(await whatIsLeft(team), { calls: 0, recordings: 0, payloads: 0 });
    stage.clock.advance(10_000);
    await stage.app.telephony.context.processing.workOff();
    assert.deepEqual(await whatIsLeft(team), { calls: 0, recordings: 0, payloads: 0 });
  });

  test('is in none of many payloads that belong to no call', async () => {
    const team = await stage.newTeam();
    const { id, accountId } = team.account;
    const phone = { id, accountId, teamId: team.team.id };
    const params = { From: PERSON, To: OUR_NUMBER, CallStatus: 'ringing' };
    const unknown = Array.from({ length: MANY }, (_, index) => ({ path: VOICE, query: `&step=${index}`, params }));
    await storeUnprocessed(stage.app, phone, unknown);
    stage.clock.advance(10_000);
    await stage.app.telephony.context.processing.workOff();
    assert.deepEqual(await whatIsLeft(team), { calls: 0, recordings: 0, payloads: MANY });
    await erase(team);
    assert.deepEqual(await whatIsLeft(team), { calls: 0, recordings: 0, payloads: 0 });
  });

  test('leaves the ids of its calls for 30 days, and no longer', async () => {
    const team = await stage.newTeam();
    await team.line.rings(newCallSid(), { From: PERSON });
    await stage.app.telephony.settle();
    await erase(team);
    const prune = async () => {
      await handlePruneTelephony(stage.app.telephony.context)({}, { signal: new AbortController().signal });
      return (await stage.app.database.all('select call_key from erased_calls where team_id = $1', [team.team.id]))
        .length;
    };
    stage.clock.advance(30 * DAY_MS);
    assert.equal(await prune(), 1);
    stage.clock.advance(1);
    assert.equal(await prune(), 0);
  });
});
