import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastFinishedWeek } from '../../src/reports/week/week.ts';
import { createDeliveryJournal, createDeliveryKeeper } from '../../src/telephony/deliveries/delivery-keeper.ts';
import { SECRETS } from '../harness/app.ts';
import { archiveRecording } from '../harness/archive-recording.ts';
import { onEachEngine } from '../harness/databases.ts';
import { createTestErasure } from '../harness/team-erasure.ts';
import {
  newCallSid,
  newRecordingSid,
  openTelephonyStage,
  PATIENT,
  signForm,
  VOICE,
} from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const CALLS = 40;

onEachEngine('a team deleted while calls come in', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine, PATIENT));
  const erasure = createTestErasure(stage);

  test('is unknown to its provider, here at once and in a process that looks again much later', async () => {
    const { team, line } = await stage.newTeam();
    const kept = await stage.newTeam();
    const other = await stage.openOther();
    const ring = async (server: typeof stage.server, { address, call } = line): Promise<number> => {
      const params = call(newCallSid(), { CallStatus: 'ringing' });
      return (await server.inject(signForm(address(VOICE), params))).statusCode;
    };
    assert.deepEqual([await ring(stage.server), await ring(other.server)], [200, 200]);
    await other.app.telephony.settle();
    await erasure.begin(team.id);
    assert.equal(await ring(stage.server), 403);
    await stage.app.telephony.settle();
    await erasure.expectGone(team.id);
    assert.equal(await ring(other.server), 403, 'No row is left that says which accounts are gone.');
    assert.deepEqual([await ring(stage.server, kept.line), await ring(other.server, kept.line)], [200, 200]);
    await other.close();
  });

  test('with calls and recordings still being assembled, leaves none of them', async () => {
    const { team, line } = await stage.newTeam();
    const kept = await stage.newTeam();
    const begun: Promise<unknown>[] = [];
    for (let number = 0; number < CALLS; number++) {
      const sid = newCallSid();
      begun.push(line.rings(sid), line.recorded(sid, newRecordingSid()), kept.line.rings(newCallSid()));
      if (number === CALLS / 2) begun.push(erasure.begin(team.id).then(erasure.run));
    }
    await Promise.all(begun);
    await stage.app.telephony.settle();
    await erasure.expectGone(team.id);
    assert.equal((await kept.calls()).length, CALLS);
  });

  test('has its audio removed, and waits for a storage that is away', async () => {
    const { team, line, calls } = await stage.newTeam();
    const sid = newCallSid();
    await line.rings(sid);
    await line.recorded(sid, newRecordingSid());
    await calls();
    const { database, telephony } = stage.app;
    const rowsOf = (table: string) =>
      database.all<{ id: string }>(`select id from ${table} where team_id = $1`, [team.id]);
    const [{ id } = { id: '' }] = await rowsOf('recordings');
    await archiveRecording(stage.app, { id, teamId: team.id });
    const folder = join(stage.config.data, 'recordings', team.id);
    const { storage } = telephony.context;
    const { remove } = storage;
    storage.remove = () => Promise.reject(new Error('away'));
    await erasure.begin(team.id);
    await erasure.run();
    assert.deepEqual(readdirSync(folder), [id]);
    assert.deepEqual([(await rowsOf('recordings')).length, (await rowsOf('calls')).length], [1, 0]);
    storage.remove = remove;
    await erasure.expectGone(team.id);
    assert.equal(existsSync(folder), false);
  });

  test('leaves nothing in the journal that could not be read back', async () => {
    const { team, line } = await stage.newTeam();
    await line.rings(newCallSid());
    const { database } = stage.app;
    const row = await database.get<Parameters<ReturnType<typeof createDeliveryJournal>['append']>[0]>(
      `select id, team_id as "teamId", account_id as "accountId", provider, route, received_at as "receivedAt",
        secret_id as "secretId", payload from deliveries where team_id = $1`,
      [team.id],
    );
    assert.ok(row);
    const folder = join(stage.config.data, 'journal');
    const journal = createDeliveryJournal(stage.app, folder);
    const keeper = createDeliveryKeeper(stage.app, journal);
    await journal.append(row);
    await erasure.begin(team.id);
    await stage.app.telephony.settle();
    await erasure.expectGone(team.id);
    await keeper.ingest();
    await keeper.close();
    assert.deepEqual(readdirSync(folder), []);
    assert.equal(await database.get('select id from deliveries where id = $1', [row.id]), undefined);
  });

  test('while its report is made, is reported on no more', async () => {
    const { team, line, calls } = await stage.newTeam();
    await line.rings(newCallSid());
    await calls();
    const week = lastFinishedWeek(stage.clock.now(), 'UTC');
    const run = () =>
      stage.server.inject({
        url: `/api/cron/weekly-report?week=${week}&team=${team.id}`,
        headers: { authorization: `Bearer ${SECRETS.CRON_SECRET}` },
      });
    await Promise.all([run(), erasure.begin(team.id)]);
    await erasure.run();
    assert.equal((await run()).json().code, 'reports.team_unknown');
    await erasure.expectGone(team.id);
  });
});
