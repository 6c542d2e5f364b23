import { CommandRefused, DirectoryTaken } from '../platform/index.ts';
import { ArchiveRefused } from './archive.ts';
import { AUDIO } from './archived-audio.ts';
import type { Loaded } from './fill-database.ts';

/** Explains to a person why it can't be done. `what` is what the archive was about. */
export const refusing = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveRefused) throw new CommandRefused(`${what}: ${error.message}`);
    if (error instanceof DirectoryTaken) throw new CommandRefused(`${error.message} Stop it first.`);
    if (error instanceof Error && 'syscall' in error && 'path' in error) throw new CommandRefused(`${error.message}.`);
    throw error;
  }
};

export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** Of the database. How many pieces a recording has says nothing to anyone. */
export const sayRows = (tables: readonly { name: string; rows: number }[]): string => {
  const ofDatabase = tables.filter(({ name }) => name !== AUDIO.name);
  const rows = ofDatabase.reduce((sum, table) => sum + table.rows, 0);
  return `${plural(rows, 'row')} in ${plural(ofDatabase.length, 'table')}`;
};

/** Nothing if all is well. */
export const sayBroken = ({ sealed: { broken } }: Loaded): string => {
  if (broken.length === 0) return '';
  const places = broken.map(({ table, column, values }) => `${table}.${column} (${values})`);
  return ` Some encrypted values can't be decrypted, and couldn't before either: ${places.join(', ')}.`;
};
