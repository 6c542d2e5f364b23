import { resolve } from 'node:path';
import { type Command, sayBytes } from '../platform/index.ts';
import { AUDIO, type AudioCount } from './archived-audio.ts';
import { type ArchiveContext, backUp } from './back-up.ts';
import { plural, refusing, sayRows } from './command-words.ts';
import { readArchive } from './read-archive.ts';

const KEYS = 'It does not contain the keys (PATCHBAY_KEYS), so keep those somewhere else.';

const sayRecordings = (recordings: AudioCount | null): string => {
  if (!recordings) return ', without recordings';
  const { archived, missing } = recordings;
  return ` and ${plural(archived, 'recording')}${missing === 0 ? '' : `, without ${missing} that could not be found`}`;
};

/** Reads it to the end. `recordings` is null for a backup without them. */
const checkBackup = async (path: string) => {
  let archived = 0;
  const content = await readArchive(path, ({ table }, rows) => {
    if (table === AUDIO.name) archived += rows.filter(([, , position]) => position === 0).length;
  });
  const hasThem = content.tables.some(({ name }) => name === AUDIO.name);
  return { ...content, recordings: hasThem ? archived : null };
};

export const backupCommands = (open: () => Promise<ArchiveContext>): Command[] => [
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
    about: 'Reads a backup and compares every count and checksum in it. Needs neither the database nor the keys.',
    words: ['file'],
    async run({ words: [file = ''] }) {
      const path = resolve(file);
      const { header, tables, rows, recordings } = await refusing(path, () => checkBackup(path));
      const { takenAt, engine, migrations } = header;
      return {
        text: `${path} is complete: ${sayRows(tables)}${sayRecordings(recordings === null ? null : { archived: recordings, missing: 0 })}, taken at ${takenAt}.`,
        json: { file: path, takenAt, engine, migration: migrations.at(-1)?.id ?? null, rows, tables, recordings },
      };
    },
  },
];
