// A delivery is being processed while its caller's number is erased. It has just looked which calls are refused, and
// writes the call when everything seems to be erased.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Database, Queries } from '../../src/platform/index.ts';
import { processBatch } from '../../src/telephony/processing/process-batch.ts';
import { onEachEngine } from '../harness/databases.ts';
import { storeUnprocessed } from '../harness/store-unprocessed.ts';
import { newCallSid, OUR_NUMBER, openTelephonyStage, VOICE } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PERSON = '+4915112345678';

onEachEngine('a number that is erased while a delivery about it is processed', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  /** The same database, whose next transaction pauses after it has looked for refused calls. */
  const pauseAfterLook = (database: Database) => {
    const [looked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const transaction: Database['transaction'] = (work) =>
      database.transaction((tx) => {
        const allFrom: Queries['allFrom'] = async <Row extends object>(
          ...[table, text]: Parameters<Queries['allFrom']>
        ) => {
          const rows = await tx.allFrom<Row>(table, text);
          if (text.includes('erased_calls')) {
            looked.resolve();
            await goOn.promise;
          }
          return rows;
        };
        return work({ ...tx, allFrom });
      });
    return { database: { ...database, transaction }, looked: looked.promise, goOn: goOn.resolve };
  };

  /** Or has ended, if it waits for nobody. */
  const isWaiting = async (): Promise<boolean> =>
    (await stage.app.database.get(
      `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() limit 1`,
    )) !== undefined;
  const untilItWaits = async (work: Promise<unknown>): Promise<void> => {
    let hasEnded = false;
    void work.finally(() => {
      hasEnded = true;
    });
    if (engine === 'postgresql') return waitUntil('it waits', async () => hasEnded || isWaiting());
    for (let turns = 0; turns < 50 && !hasEnded; turns++) await turn();
  };

  for (const known of [false, true])
    test(`does not come back with a call that is ${known ? 'known' : 'new'}`, async () => {
      const { app, server } = stage;
      const team = await stage.newTeam();
      const { id, accountId } = team.account;
      const sid = newCallSid();
      if (known) await team.line.rings(sid, { From: PERSON });
      await app.telephony.settle();
      const params = { CallSid: sid, From: PERSON, To: OUR_NUMBER, Direction: 'inbound', CallStatus: 'completed' };
      const phone = { id, accountId, teamId: team.team.id };
      const rows = await storeUnprocessed(app, phone, [{ path: VOICE, query: '&step=status', params }]);
      const { database, looked, goOn } = pauseAfterLook(app.database);
      const processed = processBatch({ ...app.telephony.context, database }, rows);
      await looked;
      const payload = { number: PERSON };
      const request = { method: 'POST', url: '/api/telephony/erase', headers: team.admin.headers, payload } as const;
      const erased = (async () => (await server.inject(request)).json())();
      await untilItWaits(erased);
      goOn();
      await processed;
      assert.equal((await erased).calls, 1);
      for (const what of ['calls where', 'call_events where', 'deliveries where payload is not null and'])
        assert.deepEqual(await app.database.all(`select * from ${what} team_id = $1`, [team.team.id]), [], what);
    });
});
