import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Queries } from '../../src/platform/index.ts';
import { listCalls } from '../../src/telephony/calls/call-list-store.ts';
import { onEachEngine } from '../harness/databases.ts';
import { newCallSid, newRecordingSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const MANY = 500;
/** If all came at once on a busy machine, some would go to the journal, and be in the database only later. */
const AT_ONCE = 10;

onEachEngine('a call with many recordings', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  test('is listed at the cost of any other', async () => {
    const { database } = stage.app;
    const team = await stage.newTeam();
    const callSid = newCallSid();
    await team.line.rings(callSid);
    const record = () => team.line.recorded(callSid, newRecordingSid());
    for (let sent = 0; sent < MANY; sent += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, record));
    assert.equal((await team.calls()).length, 1);
    const rows = await database.all<{ id: string }>('select id from recordings where team_id = $1', [team.team.id]);
    assert.equal(rows.length, MANY);
    await database.run(`update recordings set state = 'archived', archived_at = created_at where team_id = $1`, [
      team.team.id,
    ]);
    const newest = Date.now() * 2;
    await database.run('update recordings set archived_at = $3 where team_id = $1 and id = $2', [
      ...[team.team.id, rows[7]?.id ?? '', newest],
    ]);

    let plan = '';
    const watched: Queries = {
      ...database,
      all: async (text, values = []) => {
        if (engine === 'sqlite')
          plan = (await database.all<{ detail: string }>(`explain query plan ${text}`, values))
            .map(({ detail }) => detail)
            .join('\n');
        return database.all(text, values);
      },
    };
    const [call] = await listCalls(watched, team.team.id, {}, 100);
    assert.equal(call?.recordedAt, newest);
    // An index that ends in when it was archived: the newest is the first one found.
    if (engine === 'sqlite')
      assert.match(
        plan,
        /SEARCH r USING COVERING INDEX recordings_call_archived \(team_id=\? AND account_id=\? AND call_key=\?/,
      );
  });
});
