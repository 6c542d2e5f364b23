import { defineJob } from '../../jobs/index.ts';
import { type Database, Type } from '../../platform/index.ts';
import { deleteLogsOf } from '../people/log-store.ts';
import { deletePersonsFrom } from '../people/person-store.ts';

/** What to erase of a connection: its names, and what is known of its log. `all`: also of calls that are logged. */
export const eraseCrmData = defineJob({
  name: 'erase-crm-data',
  payload: Type.Object({
    teamId: Type.String(),
    connectionId: Type.String(),
    names: Type.Boolean(),
    log: Type.Enum(['none', 'open', 'all']),
  }),
  attempts: 20,
});

/** Erases, a few rows at a time, what a connection's provider has said. */
export const handleEraseCrmData =
  ({ database }: { database: Database }) =>
  async ({
    teamId,
    connectionId,
    names,
    log,
  }: {
    teamId: string;
    connectionId: string;
    names: boolean;
    log: string;
  }) => {
    if (names) await deletePersonsFrom(database, teamId, connectionId);
    if (log !== 'none') await deleteLogsOf(database, { teamId, connectionId }, log === 'all');
  };
