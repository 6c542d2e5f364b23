import assert from 'node:assert/strict';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import type { createTestClock, TestApp } from './app.ts';
import { readSchema } from './schema.ts';

const HOUR_MS = 3_600_000;
const ROUNDS = 3;

/** All that stays is that the team was erased, which says nothing about it. */
const isNotTheLast = (row: { type?: string; data?: unknown }): boolean =>
  row.type !== 'team.erased' || row.data !== null;

/** Deletes teams of a suite, with or without a key. */
export const createTestErasure = (stage: Pick<TestApp, 'app'> & { clock: ReturnType<typeof createTestClock> }) => {
  const exists = async (teamId: string): Promise<boolean> =>
    (await stage.app.database.get('select id from teams where id = $1', [teamId])) !== undefined;
  const run = () => stage.app.erasure.eraseDue({}, { signal: new AbortController().signal });
  return {
    begin: (teamId: string) => stage.app.erasure.beginAny(COMMAND_LINE, teamId),
    /** One run of the job. */
    run,
    exists,
    /** After a few hours at most, no row names it anymore. */
    async expectGone(teamId: string): Promise<void> {
      for (let round = 0; round < ROUNDS && (await exists(teamId)); round++) {
        stage.clock.advance(HOUR_MS);
        await run();
      }
      assert.equal(await exists(teamId), false, 'Something is left of the team.');
      await stage.app.events.followLog(null, { limit: 1 });
      for (const { name, columns } of readSchema()) {
        if (!columns.some((column) => column.name === 'team_id')) continue;
        const left = await stage.app.database.all(`select * from ${name} where team_id = $1`, [teamId]);
        assert.deepEqual(left.filter(isNotTheLast), [], `Something is left of the team in ${name}.`);
      }
    },
  };
};
