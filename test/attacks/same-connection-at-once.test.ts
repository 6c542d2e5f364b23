import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openKeysStage } from '../harness/keys-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const ROUNDS = 8;

describe('one connection, made from two processes at once', () => {
  const stage = useStage(() => openKeysStage('postgresql'));

  test('is there once, and nobody is told that the database is away', async () => {
    const other = await stage.openOther();
    for (let round = 0; round < ROUNDS; round++) {
      const { team, admin } = await stage.newTeam();
      const answers = await Promise.all(
        [stage, other, stage, other].map(({ ask }) =>
          ask('PUT', '/api/integrations/keyed/key', admin.headers, { fields: { api_key: stage.newKey() } }),
        ),
      );
      for (const { status, body } of answers) assert.equal(status, 200, body);
      const rows = await stage.app.database.all('select id from connections where team_id = $1', [team.id]);
      assert.equal(rows.length, 1);
    }
  });
});
