import type { Connection } from '../../src/integrations/connections/connection.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { type Engine, openDatabase } from '../../src/platform/index.ts';
import { createTestStore } from './databases.ts';
import { plainConnection } from './plain-connection.ts';

const TEAMS = ['own', 'other'] as const;

/** A database with two teams, and rows of connections that nobody has made. Without the service. */
export const openConnectionRows = async (engine: Engine) => {
  const store = await createTestStore(engine);
  const database = openDatabase(store.settings, () => undefined);
  for (const team of TEAMS) {
    await database.run(
      `insert into teams (id, name, time_zone, payload_days, created_at) values ($1, $1, 'UTC', 30, 0)`,
      [team],
    );
    await database.run(
      `insert into users (id, team_id, email, role, created_at) values ($1, $2, 'ada@example.com', 'member', 0)`,
      [`user-of-${team}`, team],
    );
  }

  return {
    database,
    /** The team's own id is its name. */
    async put(
      id: string,
      changes: Partial<Connection> = {},
      teamId: (typeof TEAMS)[number] = 'own',
    ): Promise<Connection> {
      const row = plainConnection({ teamId, connectedBy: `user-of-${teamId}` }, { id, ...changes });
      if ((await insertConnection(database, row)) !== 1) throw new Error(`There is a connection named ${row.name}.`);
      return row;
    },
    clear: () => database.run('delete from connections'),
    async close(): Promise<void> {
      await database.close();
      await store.remove();
    },
  };
};
