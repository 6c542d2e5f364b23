import { type Clock, type Command, type Database, migrateDatabase } from '../platform/index.ts';

export const migrateCommand = (open: () => Promise<{ database: Database; clock: Clock }>): Command => ({
  name: 'migrate',
  about: 'Brings the database up to date. The service also does this when it starts.',
  async run() {
    const { database, clock } = await open();
    const applied = await migrateDatabase(database, clock);
    return {
      text: applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is already up to date.',
      json: { applied },
    };
  },
});
