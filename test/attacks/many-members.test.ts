import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listAdminAddresses } from '../../src/teams/records/admin-store.ts';
import { getFirstAdmin, listUsers } from '../../src/teams/records/user-store.ts';
import { createTestApp } from '../harness/app.ts';
import { rememberStatements } from '../harness/explain-statements.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const MEMBERS = 5_000;

/** Members from an identity provider aren't limited in number. PostgreSQL plans by how many there are. */
describe('a team with very many members', () => {
  const house = useStage(() => createTestApp('postgresql'));
  const crowd = prepare(() => house.createTeam('crowd'));
  const other = prepare(() => house.createTeam('other'));

  test('has its lists read from where they begin, not as a whole', async () => {
    const { database } = house.app;
    const { id } = crowd.team;
    for (const teamId of [id, other.team.id])
      await database.run(
        `insert into users (id, team_id, email, role, issuer, subject, created_at)
          select n || $1, $1, n || '@example.com', 'admin', 'https://id.example.com', 'subject-' || n, n
            from generate_series(1, $2) n`,
        [teamId, MEMBERS],
      );
    await database.run('analyze users');
    const { database: watched, statements } = rememberStatements(database);
    assert.equal((await listUsers(watched, id, null, 50)).length, 50);
    assert.equal((await listAdminAddresses(watched, id)).length, 100);
    assert.ok(await getFirstAdmin(watched, id));
    for (const { text, values } of statements) {
      const rows = await database.all<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      assert.match(plan, /Index Scan using users_(members|admins)/, `${text}\n${plan}`);
      assert.doesNotMatch(plan, /Sort/, `${text}\n${plan}`);
    }
  });
});
