import { resolve } from 'node:path';
import { type Command, sayBytes } from '../platform/index.ts';
import type { KeyRing } from '../vault/index.ts';
import { AUDIO, type AudioCount } from './archived-audio.ts';
import { type ArchiveContext, backUp } from './back-up.ts';
import { plural, refusing, sayRows, UNAUTHENTICATED } from './command-words.ts';
import { readArchive, type Trust } from './read-archive.ts';

const KEYS = 'It does not contain the keys (PATCHBAY_KEYS), so keep those somewhere else.';

const sayUnchecked = (unauthenticated: boolean): string =>
  `Its checksums show that it is not damaged, but not that nobody has changed it. For that, check it ${unauthenticated ? 'without --unauthenticated' : 'where PATCHBAY_KEYS is set'}.`;

const sayRecordings = (recordings: AudioCount | null): string => {
  if (!recordings) return ', without recordings';
  const { archived, missing } = recordings;
  return ` and ${plural(archived, 'recording')}${missing === 0 ? '' : `, without ${missing} that could not be found`}`;
};

/** Reads a backup to the end. `recordings` is null for a backup without them. */
const checkBackup = async (path: string, trust: Trust) => {
  let archived = 0;
  const content = await readArchive(path, trust, ({ table }, rows) => {
    if (table === AUDIO.name) archived += rows.filter(([, , position]) => position === 0).length;
  });
  const hasThem = content.tables.some(({ name }) => name === AUDIO.name);
  return { ...content, recordings: hasThem ? archived : null };
};

/** `findRing` returns null if no keys are set or stored here. */
export const backupCommands = (open: () => Promise<ArchiveContext>, findRing: () => KeyRing | null): Command[] => [
  {
    name: 'backup',
    about: 'Writes everything in the database to one file while the service runs, without the keys.',
    words: ['file'],
    options: {
      recordings: { type: 'boolean', about: 'also the audio of recordings, from the data directory or the bucket' },
    },
    async run({ words: [file = ''], options, progress }) {
      const path = resolve(file);
      const done = await refusing(path, async () => {
        const { audio, ...context } = await open();
        return backUp({ ...context, audio: options['recordings'] === true ? audio : null }, path, progress);
      });
      const { takenAt, migration, bytes, rows, tables, recordings } = done;
      return {
        text: `${path}: ${sayRows(tables)}${sayRecordings(recordings)}, ${sayBytes(bytes)}. ${KEYS}`,
        json: { file: path, takenAt, migration, bytes, rows, tables, recordings },
      };
    },
  },
  {
    name: 'backup check',
    about:
      'Reads a backup, compares every count and checksum in it, and with the keys also checks that nobody has changed it. Needs no database.',
    words: ['file'],
    options: UNAUTHENTICATED,
    async run({ words: [file = ''], options }) {
      const path = resolve(file);
      const unauthenticated = options['unauthenticated'] === true;
      const trust = { ring: unauthenticated ? null : findRing(), unauthenticated };
      const { header, tables, rows, recordings, authenticated } = await refusing(path, () => checkBackup(path, trust));
      const { takenAt, engine, migrations } = header;
      const migration = migrations.at(-1)?.id ?? null;
      const content = `${sayRows(tables)}${sayRecordings(recordings === null ? null : { archived: recordings, missing: 0 })}`;
      return {
        text: `${path} is complete${authenticated ? ' and unchanged' : ''}: ${content}, taken at ${takenAt}.${authenticated ? '' : ` ${sayUnchecked(unauthenticated)}`}`,
        json: { file: path, takenAt, engine, migration, rows, tables, recordings, authenticated },
      };
    },
  },
];
