import { resolve } from 'node:path';
import {
  type Command,
  CommandRefused,
  PAUSED_ADVICE,
  readInput,
  type Secret,
  UsageRefused,
} from '../platform/index.ts';
import {
  listMoveSteps,
  type MoveSurroundings,
  plural,
  refusing,
  sayBroken,
  sayRows,
  UNAUTHENTICATED,
} from './command-words.ts';
import { type MoveContext, moveDatabase } from './move.ts';
import { readHeader, type Trust } from './read-archive.ts';
import { type RestoreContext, restore } from './restore.ts';

type Repeated = { teams: number; calls: number };

export type LoadCommandsContext = {
  /** Opens what restoring into an empty database needs. Creates nothing. */
  openEmpty(): Promise<Omit<RestoreContext, 'unauthenticated'>>;
  /** Opens what moving a SQLite file needs. */
  openFile(): Promise<MoveContext & MoveSurroundings>;
  /**
   * Reads from a later backup what was erased since the time `since`. `repeat` erases it again, in the database that
   * the settings name.
   */
  readErasures(
    laterBackup: string,
    trust: Pick<Trust, 'unauthenticated' | 'flag'>,
  ): Promise<{ since: string; authenticated: boolean; repeat(): Promise<Repeated> }>;
  /** Parses the URL of a PostgreSQL database. Null if the text isn't one. */
  parseAddress(text: string): Secret | null;
};

const PAUSED = `The service is paused: it shows everything, but refreshes, sends, and reports nothing. ${PAUSED_ADVICE}`;

/** Refuses a backup that is older than the restored one, because it can't know what was erased since. */
const refuseUnlessLater = async (later: string, path: string): Promise<void> => {
  const [erased, restored] = [
    await refusing(later, () => readHeader(later)),
    await refusing(path, () => readHeader(path)),
  ];
  if (erased.takenAt < restored.takenAt)
    throw new CommandRefused(
      `${later} was made at ${erased.takenAt}, and ${path} at ${restored.takenAt}. Name a later one for --erasures.`,
    );
};

const sayMissing = (count: number): string =>
  `The audio of ${plural(count, 'recording')} isn't in this backup. Copy the original's folder "recordings" (or PATCHBAY_RECORDINGS), or use its bucket.`;

const UNPROVED = 'Nothing shows that nobody had changed the backup.';
const ERASURES_UNPROVED = 'Nothing shows that nobody had changed what the later backup lists as erased.';

const sayRepeated = ({ teams, calls }: Repeated, authenticated: boolean): string =>
  `Erased again: ${plural(teams, 'team')} and ${plural(calls, 'call')}.${authenticated ? '' : ` ${ERASURES_UNPROVED}`}`;

const sayUnknown = (since: string): string =>
  `What was erased before ${since} is no longer known, so erase it again yourself.`;

export const loadCommands = ({ openEmpty, openFile, readErasures, parseAddress }: LoadCommandsContext): Command[] => [
  {
    name: 'restore',
    about:
      'Fills an empty database from a backup, on either engine. Needs the keys of the original. The service is paused until "resume".',
    words: ['file'],
    options: {
      erasures: { type: 'string', value: 'later-backup', about: 'erase again what was erased until this later backup' },
      ...UNAUTHENTICATED,
      'unauthenticated-erasures': {
        type: 'boolean',
        about: 'also take a later backup that nothing shows to be unchanged. What it lists is erased',
      },
    },
    async run({ words: [file = ''], options, progress }) {
      const { erasures, unauthenticated: isFlagged } = options;
      const flag = '--unauthenticated-erasures';
      const trust = { unauthenticated: options['unauthenticated-erasures'] === true, flag };
      const path = resolve(file);
      const unauthenticated = isFlagged === true;
      const later = typeof erasures === 'string' ? resolve(erasures) : null;
      if (later !== null) await refuseUnlessLater(later, path);
      // Read the erasures first, so that a backup that can't be read is refused before anything is written.
      const erasing = later === null ? null : await refusing(later, () => readErasures(later, trust));
      const done = await refusing(path, async () =>
        restore({ ...(await openEmpty()), unauthenticated }, path, progress),
      );
      const erased = (await erasing?.repeat()) ?? null;
      const erasuresKnownSince = erasing?.since ?? null;
      const repeated = [
        ...(erased && erasing ? [sayRepeated(erased, erasing.authenticated)] : []),
        ...(erasuresKnownSince !== null && done.takenAt < erasuresKnownSince ? [sayUnknown(erasuresKnownSince)] : []),
      ];
      const restored = `Restored ${sayRows(done.tables)}${done.recordings > 0 ? ` and ${plural(done.recordings, 'recording')}` : ''}, as of ${done.takenAt}.${sayBroken(done)}`;
      return {
        text: [
          restored,
          ...(done.withoutAudio > 0 ? [sayMissing(done.withoutAudio)] : []),
          ...(done.authenticated ? [] : [UNPROVED]),
          ...repeated,
          PAUSED,
        ].join(' '),
        json: {
          ...{ file: path, ...done, erased, erasuresKnownSince },
          ...{ erasuresAuthenticated: erasing?.authenticated ?? null, paused: true },
        },
      };
    },
  },
  {
    name: 'restore erasures',
    about:
      'Erases teams and calls again that a later backup says were erased. For a database that was restored without them.',
    words: ['later-backup'],
    options: UNAUTHENTICATED,
    async run({ words: [file = ''], options }) {
      const path = resolve(file);
      const trust = { unauthenticated: options['unauthenticated'] === true };
      const { since, authenticated, repeat } = await refusing(path, () => readErasures(path, trust));
      const erased = await repeat();
      return {
        text: `${sayRepeated(erased, authenticated)} ${sayUnknown(since)}`,
        json: { file: path, erased, erasuresKnownSince: since, erasuresAuthenticated: authenticated },
      };
    },
  },
  {
    name: 'move',
    about:
      'Moves everything from SQLite to an empty PostgreSQL database (--to or --stdin). Stop the service first. If it is interrupted, run it again.',
    options: {
      to: { type: 'string', value: 'address', about: 'the address of the database, as in DATABASE_URL' },
      stdin: {
        type: 'boolean',
        about: 'read the address from standard input, so that the list of processes does not show it',
      },
    },
    async run({ options: { to, stdin }, progress }) {
      if (to !== undefined && stdin !== undefined) throw new UsageRefused('Use --to or --stdin, not both.');
      const url = parseAddress(stdin === true ? await readInput() : String(to ?? ''));
      if (!url)
        throw new UsageRefused(
          'Usage: move --to postgresql://user:password@host:5432/database, or move --stdin with that address on standard input',
        );
      const { generated, keepsRecordings, ...context } = await openFile();
      const done = await refusing(context.dataDirectory, () => moveDatabase(context, url, progress));
      const steps = listMoveSteps({ generated, keepsRecordings }).map((step, index) => `  ${index + 1}. ${step}`);
      return {
        text: `Moved ${sayRows(done.tables)} to ${done.to}.${sayBroken(done)} The SQLite file stays as it is, and can't be used by mistake. Next:\n${steps.join('\n')}`,
        json: { ...done },
      };
    },
  },
];
