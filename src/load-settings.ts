import { join } from 'node:path';
import type { App } from './app.ts';
import type { LoadCommandsContext } from './archive/index.ts';
import { type Config, parseDatabaseUrl } from './config/index.ts';
import { leaveGap, SEALED_IN_EVENTS } from './events/index.ts';
import { SEALED_IN_INTEGRATIONS, setApprovalsApart } from './integrations/index.ts';
import { SEALED_SLACK_ADDRESSES } from './notices/index.ts';
import { CommandRefused, createLog, createOutbound, findSecrets, systemClock } from './platform/index.ts';
import { readErasures, repeatErasures } from './repeat-erasures.ts';
import { SEALED_IN_REPORTS } from './reports/index.ts';
import { createAudioWriter, createRecordingStorage, SEALED_IN_TELEPHONY, setCallLogsApart } from './telephony/index.ts';
import { parseKeyRing, type SealedColumn } from './vault/index.ts';

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...SEALED_IN_EVENTS,
  ...SEALED_IN_INTEGRATIONS,
  ...SEALED_IN_TELEPHONY,
  SEALED_SLACK_ADDRESSES,
  ...SEALED_IN_REPORTS,
];

const NO_KEYS =
  'There are no keys. Set PATCHBAY_KEYS to those of the original, or copy its secrets.json to the data directory.';

const openWith = (config: Config) => {
  if (!config.keys) throw new CommandRefused(NO_KEYS);
  return {
    clock: systemClock,
    log: createLog({ level: 'error', secrets: findSecrets(config), shapes: [] }),
    ring: parseKeyRing(config.keys),
    sealedColumns: SEALED_COLUMNS,
  };
};

const openStorage = ({ recordings, bucket, production }: Config) =>
  createRecordingStorage(
    { recordingsFolder: recordings, clock: systemClock, outbound: createOutbound({ allowPrivate: !production }) },
    bucket,
  );

type Sources = {
  /** Reads the settings. Neither expects nor creates a database. */
  readEmpty(): Config;
  /** Reads the settings. Expects a database. */
  readUsed(): Config;
  /** Opens the application. Expects a database that is up to date. */
  open(): Promise<App>;
};

/**
 * Settings for `restore`, which fills an empty database, and `move`, which replaces one. Both do this without opening
 * the application.
 */
export const loadSettings = ({ readEmpty, readUsed, open }: Sources): LoadCommandsContext => ({
  async openEmpty() {
    const config = readEmpty();
    return {
      ...openWith(config),
      store: { url: config.databaseUrl, dataDirectory: config.data },
      audio: createAudioWriter({ storage: openStorage(config), recordingsFolder: config.recordings }),
      async setApart(tx) {
        const now = systemClock.now();
        await leaveGap(tx, now);
        await setApprovalsApart(tx, now);
        await setCallLogsApart(tx, now);
      },
    };
  },
  async openFile() {
    const config = readUsed();
    if (config.databaseUrl)
      throw new CommandRefused(
        'DATABASE_URL is set, so the service uses PostgreSQL already. Unset it to move a SQLite file.',
      );
    return {
      ...openWith(config),
      dataDirectory: config.data,
      generated: { names: config.generatedNames, path: join(config.data, 'secrets.json') },
      keepsRecordings: !config.bucket && !config.recordingsShared,
    };
  },
  async readErasures(laterBackup, trust) {
    const { ring } = openWith(readEmpty());
    const erasures = await readErasures(laterBackup, { ring, ...trust });
    const { since, authenticated } = erasures;
    return { since, authenticated, repeat: async () => repeatErasures(await open(), erasures) };
  },
  parseAddress: parseDatabaseUrl,
});
