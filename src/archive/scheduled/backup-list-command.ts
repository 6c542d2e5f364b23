import { type Command, type Database, printTable, sayBytes, toIso } from '../../platform/index.ts';
import type { BackupPlace } from './backup-place.ts';
import { type KeptBackup, listKept } from './backup-store.ts';

/** `place` is null if no backups are scheduled. */
type ListContext = { database: Database; place: Pick<BackupPlace, 'id' | 'measure'> | null };

/** Whether the backup file still exists. Null if it's in another directory or bucket, which we can't check. */
const isThere = async (place: ListContext['place'], { place: keptIn, name, bytes }: KeptBackup) =>
  place?.id === keptIn ? (await place.measure(name)) === bytes : null;

const sayThere = (there: boolean | null): string => {
  if (there === null) return 'not checked';
  return there ? 'yes' : 'no';
};

export const backupListCommand = (open: () => Promise<ListContext>): Command => ({
  name: 'backup list',
  about: 'Lists the backups that the schedule and "backup now" have made and kept, and checks that each is there.',
  async run() {
    const { database, place } = await open();
    const backups = [];
    for (const kept of await listKept(database))
      backups.push({ ...kept, endedAt: toIso(kept.endedAt), isThere: await isThere(place, kept) });
    const rows = backups.map(({ name, endedAt, bytes, place: keptIn, isThere: there }) => [
      ...[name, endedAt, sayBytes(bytes)],
      ...[keptIn, sayThere(there)],
    ]);
    const text = printTable(['name', 'completed', 'size', 'place', 'there'], rows);
    return { text: rows.length > 0 ? text : 'There are none.', json: { backups } };
  },
});
