import { type Applied, describeUnknown, findEarly, type Migration, readMigrations } from '../platform/index.ts';
import { ArchiveRefused } from './archive.ts';

/** Finds the migrations that created a schema. */
export const findMigrations = (applied: readonly Applied[]): Migration[] => {
  const known = readMigrations();
  if (findEarly(applied, known))
    throw new ArchiveRefused('The database is from a version before 0.1. Run "migrate" on it first.');
  return applied.map(({ id, digest }, at) => {
    const migration = known.find((one) => one.id === id);
    if (!migration) throw new ArchiveRefused(describeUnknown([id]));
    if (migration !== known[at]) throw new ArchiveRefused(`Migration ${id} is listed without one before it.`);
    if (migration.digest !== digest)
      throw new ArchiveRefused(`Migration ${id} was changed after it ran. Use the version of Patchbay that ran it.`);
    return migration;
  });
};
