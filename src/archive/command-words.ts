import { CommandRefused, DirectoryTaken } from '../platform/index.ts';
import { ArchiveRefused } from './archive.ts';
import { AUDIO } from './archived-audio.ts';
import type { Loaded } from './fill-database.ts';

/** Runs `work`, and explains to a person why it failed. `what` names the file or directory that it's about. */
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

/** The option `--unauthenticated`, for every command that reads a backup. */
export const UNAUTHENTICATED = {
  unauthenticated: {
    type: 'boolean',
    about: 'also take a backup without an authentication code, as older versions made them',
  },
} as const;

export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** Says how many rows of the database there are, without rows of audio, whose number means nothing to a person. */
export const sayRows = (tables: readonly { name: string; rows: number }[]): string => {
  const ofDatabase = tables.filter(({ name }) => name !== AUDIO.name);
  const rows = ofDatabase.reduce((sum, table) => sum + table.rows, 0);
  return `${plural(rows, 'row')} in ${plural(ofDatabase.length, 'table')}`;
};

/** Says which encrypted values can't be decrypted. Empty if all can. */
export const sayBroken = ({ sealed: { broken } }: Loaded): string => {
  if (broken.length === 0) return '';
  const places = broken.map(({ table, column, values }) => `${table}.${column} (${values})`);
  return ` Some encrypted values can't be decrypted, and couldn't before either: ${places.join(', ')}.`;
};

export type MoveSurroundings = {
  /** The settings that were generated for SQLite, and the file they are in. */
  generated: { names: readonly string[]; path: string };
  /** Whether recordings are files in the data directory. */
  keepsRecordings: boolean;
};

const KEYS = 'PATCHBAY_KEYS';

/** Lists what a person has to do after moving to PostgreSQL. */
export const listMoveSteps = ({ generated: { names, path }, keepsRecordings }: MoveSurroundings): string[] => {
  const others = names.filter((name) => name !== KEYS);
  return [
    'Set DATABASE_URL.',
    ...(names.includes(KEYS) ? [`Set ${KEYS} to the value in ${path}. With PostgreSQL, that file isn't read.`] : []),
    ...(others.length > 0
      ? [
          `If a program uses ${new Intl.ListFormat('en', { type: 'disjunction' }).format(others)}, set it to the value in ${path}, too. Otherwise, it changes.`,
        ]
      : []),
    'Start the service with the same PATCHBAY_DATA: deliveries that are not in the database yet stay there.',
    ...(keepsRecordings
      ? [
          'Recordings stay in PATCHBAY_DATA, too. Before you start a second process, move them to a directory that all of them share (PATCHBAY_RECORDINGS), or to a bucket.',
        ]
      : []),
  ];
};
