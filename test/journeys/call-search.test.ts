import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { onEachEngine } from '../harness/databases.ts';
import { newCallSid, OUR_NUMBER, openTelephonyStage, type TelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

type Call = { from: string | null; fromName: string | null; to: string };

onEachEngine('a search for calls', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  let team: Awaited<ReturnType<TelephonyStage['newTeam']>>;

  const search = (text: string, more = ''): Promise<Call[]> => team.calls(`?search=${encodeURIComponent(text)}${more}`);
  const callersOf = (calls: readonly Call[]) => calls.map(({ from }) => from);

  before(async () => {
    team = await stage.newTeam();
    const { line } = team;
    for (const [From, CallerName] of [
      ['+15551230042', 'CITY PHARMACY'],
      ['+15551230043', '+15551230043'],
      ['+442079460999', ''],
    ] as const) {
      stage.clock.advance(60_000);
      const sid = newCallSid();
      await line.rings(sid, { From, ...(CallerName && { CallerName }) });
      await line.status(sid, 'no-answer', { From });
    }
    stage.clock.advance(60_000);
    const back = { From: OUR_NUMBER, To: '+15551230043', Direction: 'outbound-api' };
    await line.status(newCallSid(), 'completed', { ...back, CallDuration: '9' });
  });

  test('finds any part of a number or a name, newest first', async () => {
    assert.deepEqual(callersOf(await search('123 004')), [OUR_NUMBER, '+15551230043', '+15551230042']);
    assert.deepEqual(callersOf(await search('pharm')), ['+15551230042']);
    assert.deepEqual(callersOf(await search('020 7946')), ['+442079460999']);
    assert.deepEqual(callersOf(await search('9999')), [], "The team's own number is part of every call.");
    assert.deepEqual(callersOf(await search('1', '&waiting=true&outcome=missed')), ['+15551230042']);
    assert.equal((await team.get('/api/calls?search=%20')).statusCode, 400);
  });

  test('shows the name, whichever delivery has it and in whatever order they come', async () => {
    const [named] = await search('pharmacy');
    assert.equal(named?.fromName, 'CITY PHARMACY');
    for (const withName of [0, 1, 2]) {
      const sid = newCallSid();
      for (const [step, status] of ['ringing', 'in-progress', 'completed'].entries()) {
        const more = { From: '+15551230050', ...(step === withName && { CallerName: `Late Riser ${withName}` }) };
        await team.line.status(sid, status, more);
        await stage.app.telephony.settle();
      }
    }
    const names = (await search('late riser')).map(({ fromName }) => fromName);
    assert.deepEqual(names.sort(), ['Late Riser 0', 'Late Riser 1', 'Late Riser 2']);
  });

  test('tells calls of one number apart by name', async () => {
    for (const name of [undefined, undefined, 'Early Bird', undefined]) {
      stage.clock.advance(60_000);
      await team.line.rings(newCallSid(), { From: '+15551230050', ...(name && { CallerName: name }) });
    }
    await stage.app.telephony.settle();
    const named = async (text: string) => (await search(text)).map(({ fromName }) => fromName);
    assert.deepEqual(await named('late riser 1'), ['Late Riser 1']);
    assert.deepEqual(await named('early'), ['Early Bird']);
    assert.deepEqual((await named('123 0050')).slice(0, 4), [null, 'Early Bird', null, null]);
    assert.equal((await named('123 0050')).length, 7);
  });

  test('is in the file as well', async () => {
    const headers = { ...team.member.headers, accept: 'text/csv' };
    const { body } = await stage.server.inject({ url: '/api/calls?search=pharm', headers });
    const [head, ...lines] = body.trimEnd().split('\r\n');
    assert.match(head ?? '', /,fromName,demo,numberLabel,transcript,personName,personUrl,personProvider$/);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /,CITY PHARMACY,false,,,,,$/);
  });

  test('is in the file, however many others called since', async () => {
    stage.clock.advance(60_000);
    for (let count = 0; count < 60; count++) await team.line.rings(newCallSid(), { From: '+15551230070' });
    await stage.app.telephony.settle();
    const headers = { ...team.member.headers, accept: 'text/csv' };
    const { body } = await stage.server.inject({ url: '/api/calls?search=pharm', headers });
    assert.match(body, /,CITY PHARMACY,false,,,,,\r\n$/);
  });

  test('finds who needs a call back, and goes on where it ended', async () => {
    const { calls } = stage.app.telephony;
    const first = await calls.showWaiting(team.team.id, { search: '1' }, 1);
    assert.equal(first.calls.length, 1);
    assert.deepEqual(first.searched?.calls, 1);
    const rest = await calls.showWaiting(team.team.id, { search: '555123004', cursor: first.nextCursor ?? '' }, 10);
    assert.deepEqual(callersOf(rest.calls as never), ['+15551230042']);
    assert.deepEqual([rest.nextCursor, rest.searched?.until], [null, null]);
  });

  test("finds the label of the team's number, in the list, among who waits, and in the file", async () => {
    const other = await stage.newTeam();
    const label = async ({ number, admin }: typeof team, words: string | null) => {
      const wish = { method: 'PATCH' as const, url: `/api/telephony/numbers/${number.id}`, headers: admin.headers };
      assert.equal((await stage.server.inject({ ...wish, payload: { label: words } })).statusCode, 200);
    };
    const sid = newCallSid();
    await other.line.rings(sid);
    await other.line.status(sid, 'no-answer');
    assert.deepEqual(await search('reception'), []);
    await label(team, 'Réception');
    await label(other, 'Warehouse');
    const all = await team.calls('?limit=100');
    assert.deepEqual(await search('reception', '&limit=100'), all, 'inbound and outbound');
    assert.deepEqual(await search('warehouse'), [], "another team's");
    assert.equal((await other.calls('?search=warehouse')).length, 1);
    const { calls } = stage.app.telephony;
    assert.equal((await calls.showWaiting(other.team.id, { search: 'ware' }, 10)).calls.length, 1);
    const headers = { ...team.member.headers, accept: 'text/csv' };
    const { body } = await stage.server.inject({ url: '/api/calls?search=recep', headers });
    const lines = body.trimEnd().split('\r\n').slice(1);
    assert.equal(lines.length, all.length);
    assert.ok(lines.every((line) => line.endsWith(',Réception,,,,')));
    await label(team, null);
    assert.deepEqual(await search('reception'), []);
  });

  test('keeps names sealed, and they are gone with the number', async () => {
    const rows = await stage.app.database.all('select * from calls');
    assert.ok(!JSON.stringify(rows).includes('PHARMACY'));
    await stage.app.telephony.numbers.erase(team.team.id, COMMAND_LINE, '+15551230042');
    assert.deepEqual(await search('pharm'), []);
  });
});
