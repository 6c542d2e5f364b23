// Attack: a leap second is a valid date-time, but no `Date` can hold it. It must not reach the database as NaN.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '../harness/databases.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a leap second', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  for (const name of ['since', 'until'])
    test(`is refused as ${name}, and the second before it is not`, async () => {
      const team = await stage.newTeam();
      for (const accept of ['application/json', 'text/csv']) {
        const ask = async (time: string) => {
          const headers = { ...team.member.headers, accept };
          return (await stage.server.inject({ url: `/api/calls?${name}=${time}`, headers })).statusCode;
        };
        assert.deepEqual([await ask('2016-12-31T23:59:60Z'), await ask('2016-12-31T23:59:59Z')], [400, 200], accept);
      }
    });
});
