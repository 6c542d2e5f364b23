/**
 * Backups: everything in the database as one file, which can be restored into either engine. The file contains
 * compressed lines of JSON with counts, checksums, and an authentication code (docs/decisions/043-backups.md,
 * 056-authentic-backups.md). It never contains the key ring.
 */
export { backupCommands } from './backup-commands.ts';
export { type LoadCommandsContext, loadCommands } from './load-commands.ts';
export type { Trust } from './read-archive.ts';
export { readColumns } from './read-columns.ts';
export { backupListCommand } from './scheduled/backup-list-command.ts';
export { backupNowCommand } from './scheduled/backup-now-command.ts';
export { createBackupPlace } from './scheduled/backup-place.ts';
export { getLastBackup } from './scheduled/backup-store.ts';
export { type RunCommand, runCommand } from './scheduled/run-command.ts';
export { scheduleBackups } from './scheduled/scheduled-backups.ts';
