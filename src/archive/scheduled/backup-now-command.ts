import { type Command, CommandRefused, sayBytes } from '../../platform/index.ts';
import { sayRows } from '../command-words.ts';
import { type MakeContext, makeBackup } from './make-backup.ts';

/** The command that the schedule runs. `open` returns null if no backups are scheduled. */
export const backupNowCommand = (open: () => Promise<MakeContext | null>): Command => ({
  name: 'backup now',
  about:
    'Makes a backup where PATCHBAY_BACKUP_TO says, as the schedule does, and deletes those beyond PATCHBAY_BACKUP_KEEP.',
  async run({ progress }) {
    const context = await open();
    if (!context) throw new CommandRefused('Set PATCHBAY_BACKUP_TO first, or run "backup <file>".');
    const made = await makeBackup(context, progress);
    const { name, place, tables, bytes } = made;
    const removed = made.removed.length === 0 ? '' : ` Deleted ${made.removed.join(', ')}.`;
    return { text: `${name} in ${place} is complete: ${sayRows(tables)}, ${sayBytes(bytes)}.${removed}`, json: made };
  },
});
