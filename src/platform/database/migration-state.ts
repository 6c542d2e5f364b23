import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Migration = { id: string; text: string; digest: string };

/** A migration that has run. */
export type Applied = Pick<Migration, 'id' | 'digest'>;

/** `unknown` lists migrations that have run, but are missing from this version or have different text in it. */
export type MigrationState = { applied: number; expected: number; pending: string[]; unknown: string[] };

export const MIGRATIONS = fileURLToPath(new URL('../../../migrations/', import.meta.url));

export const readMigrations = (folder = MIGRATIONS): Migration[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const text = readFileSync(`${folder}/${file}`, 'utf8');
      return { id: file.replace(/\.sql$/, ''), text, digest: hash('sha256', text, 'hex') };
    });

/** Recorded like a migration while a database is being filled. As long as it's there, the database is refused. */
export const UNFINISHED = 'unfinished';

/** Explains why a database with these unknown migrations can't be used. */
export const describeUnknown = (unknown: readonly string[], migrations = readMigrations()): string => {
  if (unknown.includes(UNFINISHED))
    return 'This database is incomplete: restoring or moving into it was interrupted, or is still running. Run the same command again. To start with an empty database instead, create a new one.';
  const last = migrations.at(-1)?.id ?? '';
  const [id] = unknown;
  return unknown.every((one) => one > last)
    ? `The database is newer than this version of Patchbay: it has migration ${id}, which this version does not have. Use the newer version.`
    : `The database was made by a version before 0.1 that cannot be upgraded, or a migration was edited: its ${id} is not the one of this version. Nothing was changed. Keep the database as it is (a copy of patchbay.db, or pg_dump), and start with a new one.`;
};

/**
 * The migrations of versions before 0.1. Today's first migrations create the same tables with fewer files
 * (docs/decisions/055-early-stores.md).
 */
const EARLY = `${MIGRATIONS}early`;
/** The last of today's migrations that replace the early ones. */
const EARLY_END = '0006-reports-reports';

const isSame = (one: Applied) => (other: Applied) => one.id === other.id && one.digest === other.digest;

/**
 * For a database from before 0.1: the early migrations it still lacks, and today's migrations that replace the early
 * ones. Null for any other database.
 */
export const findEarly = (applied: readonly Applied[], migrations: readonly Migration[]) => {
  const [first] = applied;
  if (!first || migrations.some(isSame(first)) || !applied.some(({ id }) => id === EARLY_END)) return null;
  const early = readMigrations(EARLY);
  if (!applied.every((one) => early.some(isSame(one)))) return null;
  return {
    missing: early.filter((one) => !applied.some(isSame(one))),
    same: migrations.filter(({ id }) => id <= EARLY_END),
  };
};

/** Compares the migrations that have run with those of this version. */
export const compareMigrations = (ran: readonly Applied[], migrations = readMigrations()): MigrationState => {
  const applied = findEarly(ran, migrations)?.same ?? ran;
  return {
    applied: applied.length,
    expected: migrations.length,
    pending: migrations.filter(({ id }) => !applied.some((one) => one.id === id)).map(({ id }) => id),
    unknown: applied.filter((one) => !migrations.some(isSame(one))).map(({ id }) => id),
  };
};
