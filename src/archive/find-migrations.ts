import { describeUnknown, type Migration, readMigrations } from '../platform/index.ts';
import { type Applied, ArchiveRefused } from './archive.ts';

/** The migrations that made these tables. */
export const findMigrations = (applied: readonly Applied[]): Migration[] => {
  const known = readMigrations();
  return applied.map(({ id, digest }, at) => {
    const migration = known.find((one) => one.id === id);
    if (!migration) throw new ArchiveRefused(describeUnknown(id));
    if (migration !== known[at]) throw new ArchiveRefused(`Migration ${id} is listed without one before it.`);
    if (migration.digest !== digest)
      throw new ArchiveRefused(`Migration ${id} was changed after it ran. Use the version of Patchbay that ran it.`);
    return migration;
  });
};
