import {
  type Clock,
  type Command,
  type CommandInput,
  type Database,
  describeUnknown,
  findBreakingChanges,
  getMigrationState,
  migrateDatabase,
  type Output,
  readMigrations,
} from '../platform/index.ts';

type Opened = { database: Database; clock: Clock };

/** Exit codes for scripts. */
const EXIT = { upToDate: 0, refused: 1, pending: 3, pendingBreaking: 4 } as const;

const migrate = async ({ database, clock }: Opened): Promise<Output> => {
  const applied = await migrateDatabase(database, clock);
  return {
    text: applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is already up to date.',
    json: { applied },
  };
};

const listPending = (ids: readonly string[]) =>
  readMigrations()
    .filter(({ id }) => ids.includes(id))
    .map((migration) => ({ id: migration.id, breaking: findBreakingChanges(migration) }));

const check = async ({ database }: Opened): Promise<Output> => {
  const { applied, pending: ids, unknown } = await getMigrationState(database);
  const pending = listPending(ids);
  // On an empty database, no older version can be running, so nothing can break.
  const isBreaking = applied > 0 && pending.some(({ breaking }) => breaking.length > 0);
  const json = { applied, pending, unknown, additive: !isBreaking };
  if (unknown.length > 0) return { text: describeUnknown(unknown), json, exitCode: EXIT.refused };
  if (pending.length === 0) return { text: 'The database is up to date.', json, exitCode: EXIT.upToDate };
  if (applied === 0)
    return { text: `The database is empty. All ${pending.length} migrations would run.`, json, exitCode: EXIT.pending };
  const lines = pending.flatMap(({ id, breaking }) => [
    `  ${id}`,
    ...breaking.map((change) => `    not additive: ${change}`),
  ]);
  const advice = isBreaking
    ? 'Stop all processes of the old version first: it may not survive the changes marked above.'
    : 'All are additive: processes of the old version can keep running meanwhile.';
  return {
    text: ['These migrations would run:', ...lines, advice].join('\n'),
    json,
    exitCode: isBreaking ? EXIT.pendingBreaking : EXIT.pending,
  };
};

/** `openAnyway` opens an existing database, even an empty or newer one. It doesn't create one. */
export const migrateCommand = (open: () => Promise<Opened>, openAnyway: () => Promise<Opened>): Command => ({
  name: 'migrate',
  about: 'Brings the database up to date. The service also does this when it starts.',
  options: {
    check: {
      type: 'boolean',
      about:
        'only say what would run, and whether older processes survive it; exit code 3 if something would, 4 if not all is additive',
    },
  },
  run: async ({ options }: CommandInput) =>
    options['check'] === true ? check(await openAnyway()) : migrate(await open()),
});
