import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Queries } from '../../src/platform/index.ts';
import { listAdminIdsForUpdate } from '../../src/teams/records/admin-store.ts';
import { countMembers, listUsers } from '../../src/teams/records/user-store.ts';
import { listCallers } from '../../src/telephony/calls/waiting-call-store.ts';
import { createTestApp } from '../harness/app.ts';
import { useStage } from '../harness/use-stage.ts';

describe('a list of a few things among very many', () => {
  const house = useStage(() => createTestApp('sqlite'));

  /** How SQLite would run each statement. */
  const planOf = async (read: (queries: Queries) => Promise<unknown>): Promise<string> => {
    const { database } = house.app;
    const plans: string[] = [];
    const explain = async (text: string, values: readonly unknown[] = []): Promise<void> => {
      const rows = await database.all<{ detail: string }>(`explain query plan ${text}`, values as string[]);
      plans.push(...rows.map(({ detail }) => detail));
    };
    const watched: Queries = {
      ...database,
      all: async (text, values) => {
        await explain(text, values);
        return [];
      },
      get: async (text, values) => {
        await explain(text, values);
        return undefined;
      },
      allFrom: async (table, text) => {
        const [first = []] = table.rows;
        const columns = Object.keys(table.columns);
        const rows = columns.map((name, index) => `$${index + 1} as ${name}`).join(', ');
        await explain(`with rows as (select ${rows}) ${text}`, first);
        return [];
      },
    };
    await read(watched);
    return plans.join('\n');
  };

  test('of calls in a report is read by their ids, not by the team', async () => {
    const plan = await planOf((queries) => listCallers(queries, 'team', ['one', 'two']));
    assert.doesNotMatch(plan, /calls_team/);
    assert.match(plan, /SEARCH c USING INDEX sqlite_autoindex_calls_1 \(id=\?\)/);
  });

  test('of members is read without those who were removed', async () => {
    assert.match(await planOf((queries) => listUsers(queries, 'team', null, 10)), /INDEX users_members/);
    assert.match(await planOf((queries) => countMembers(queries, 'team')), /INDEX users_members/);
    assert.match(await planOf((queries) => listAdminIdsForUpdate(queries, 'team')), /INDEX users_admins/);
  });
});
