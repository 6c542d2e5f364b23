import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { type Engine, type Migration, readMigrations } from '../../src/platform/index.ts';
import { createTestStore, type TestStore } from './databases.ts';
import { runCommand } from './run-command.ts';
import type { Walked } from './walk-through.ts';

const FOLDER = join(import.meta.dirname, '../releases');

/** A backup of what `walkThrough` had written with this version, and what it should read as. */
export type Release = { version: string; keys: string; takenAt: string; walked: Walked };

/** Oldest first. */
export const listReleases = (): Release[] =>
  globSync(join(FOLDER, '*.json'))
    .map((file) => ({ version: basename(file, '.json'), ...JSON.parse(readFileSync(file, 'utf8')) }))
    .sort((one, other) => one.version.localeCompare(other.version, 'en', { numeric: true }));

const fileOf = ({ version }: Release): string => join(FOLDER, `${version}.zst`);

const readHeader = (release: Release): { key?: string; migrations: { id: string; digest: string }[] } => {
  const [header = ''] = zstdDecompressSync(readFileSync(fileOf(release)))
    .toString('utf8')
    .split('\n', 1);
  return JSON.parse(header);
};

/** The migrations that this version had, as they were then. Throws if one was changed or removed since. */
export const migrationsOf = (release: Release): Migration[] => {
  const known = new Map(readMigrations().map((migration) => [migration.id, migration]));
  return readHeader(release).migrations.map(({ id, digest }) => {
    const migration = known.get(id);
    if (migration?.digest !== digest) throw new Error(`Migration ${id} isn't what version ${release.version} had.`);
    return migration;
  });
};

/** What that version wrote, restored and migrated by this one. */
export const createReleasedStore = async (release: Release, engine: Engine): Promise<TestStore> => {
  const store = await createTestStore(engine, { migrated: false });
  const { key } = readHeader(release);
  // The first ones aren't authenticated.
  const flags = key === undefined ? ['--unauthenticated'] : [];
  const { code, stderr } = await runCommand(['restore', fileOf(release), ...flags], {
    PATCHBAY_KEYS: release.keys,
    PATCHBAY_DATA: store.settings.dataDirectory,
    DATABASE_URL: store.settings.url?.reveal() ?? '',
  });
  if (code !== 0) throw new Error(stderr);
  return store;
};
