import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { CommandRefused } from '../../commands/command.ts';
import { partOf, renameOnDisk } from './sqlite-loader.ts';

/** `to` names the server and the database, without a password. */
type Move = { to: string; begunAt: string; doneAt: string | null };

/** Marks a database as moved with a file beside it, so that the database isn't changed. Deleting the mark undoes it. */
export const createMovedMark = (path: string) => {
  const mark = `${path}.moved`;
  return {
    read: (): Move | null => (existsSync(mark) ? JSON.parse(readFileSync(mark, 'utf8')) : null),
    write(move: Move): void {
      const fresh = `${mark}.new`;
      writeFileSync(fresh, `${JSON.stringify(move, null, 2)}\n`);
      renameOnDisk(fresh, mark);
    },
    describe: ({ to, doneAt }: Move): string =>
      doneAt === null
        ? `${path} is being moved to PostgreSQL at ${to}, or that was interrupted. Run "move" again, or delete ${mark} to keep using this file.`
        : `${path} was moved to PostgreSQL at ${to} on ${doneAt}, so set DATABASE_URL. To go back to this file as it was then, delete ${mark}.`,
  };
};

/**
 * Throws if the database was moved to PostgreSQL, because later writes to this file would be lost. Also called before
 * writing, because the file may have been opened before the move.
 */
export const refuseMoved = (path: string): void => {
  const mark = createMovedMark(path);
  const move = mark.read();
  if (move) throw new CommandRefused(mark.describe(move));
};

/** Throws if the database was moved to PostgreSQL, or if it doesn't exist because a restore was interrupted. */
export const refuseUnusable = (path: string): void => {
  refuseMoved(path);
  const part = partOf(path);
  if (!existsSync(path) && existsSync(part))
    throw new CommandRefused(
      `There is no complete database here: a restore is running or was interrupted. Run "restore" again, or delete ${part} to start with an empty database.`,
    );
};
