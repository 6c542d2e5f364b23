import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import type { DeliveryRow } from './delivery-store.ts';

const PURPOSE = 'telephony journal';
const OPEN_SUFFIX = '.open';

type Waiting = { line: string; resolve(): void; reject(error: Error): void };

/**
 * Where deliveries are kept while the database is away: a file in the data directory, one sealed line for each, on disk
 * before it counts as kept. A file that was closed is read back and removed once the database has it all; a line
 * that was cut off by a crash was never acknowledged.
 */
export const createJournal = ({ directory, vault, log }: { directory: string; vault: Vault; log: Log }) => {
  let file: { handle: FileHandle; path: string } | null = null;
  let waiting: Waiting[] = [];
  let writing = false;

  const openFile = async () => {
    if (file) return file;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, `${Date.now()}-${randomUUID()}${OPEN_SUFFIX}`);
    const opened = { handle: await open(path, 'wx', 0o600), path };
    // The name is on disk as well, or the file is nowhere after a power cut.
    const folder = await open(directory, 'r');
    await folder.sync().finally(() => folder.close());
    file = opened;
    return opened;
  };

  const closeFile = async (): Promise<void> => {
    const closing = file;
    file = null;
    if (!closing) return;
    await closing.handle.close();
    await rename(closing.path, closing.path.slice(0, -OPEN_SUFFIX.length));
  };

  /** Whatever waits is written and synced together; while that goes on, the next ones gather. */
  const writeAll = async (): Promise<void> => {
    writing = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        const { handle } = await openFile();
        await handle.appendFile(group.map(({ line }) => line).join(''));
        await handle.datasync();
        for (const { resolve } of group) resolve();
      } catch (error) {
        // What is on disk of this file is not known any more: the next write begins another.
        await closeFile().catch((err) => log.error({ err }, 'a file of the journal could not be closed'));
        for (const { reject } of group) reject(error instanceof Error ? error : new Error('The journal failed.'));
      }
    }
    writing = false;
  };

  const readRows = async (path: string): Promise<DeliveryRow[]> =>
    (await readFile(path, 'utf8')).split('\n').flatMap((line) => {
      if (line === '') return [];
      try {
        return [JSON.parse(vault.openPassing(PURPOSE, [], line).toString('utf8')) as DeliveryRow];
      } catch (err) {
        log.warn({ err }, 'a line of the journal cannot be read: it was cut off, or sealed with a key that is gone');
        return [];
      }
    });

  const listFiles = async (): Promise<string[]> => {
    const names = await readdir(directory).catch((error) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => join(directory, name) !== file?.path).sort();
  };

  return {
    /** Resolves once the row is on disk. */
    append(row: DeliveryRow): Promise<void> {
      const line = `${vault.sealPassing(PURPOSE, [], Buffer.from(JSON.stringify(row)))}\n`;
      return new Promise((resolve, reject) => {
        waiting.push({ line, resolve, reject });
        if (!writing) void writeAll();
      });
    },
    /** Hands everything that was kept to `store`, and removes a file once all of it is stored. Answers how many. */
    async ingest(store: (rows: readonly DeliveryRow[]) => Promise<void>): Promise<number> {
      if (!writing) await closeFile();
      let ingested = 0;
      for (const name of await listFiles()) {
        const path = join(directory, name);
        const rows = await readRows(path);
        await store(rows);
        await rm(path);
        ingested += rows.length;
      }
      return ingested;
    },
    close: closeFile,
  };
};

export type Journal = ReturnType<typeof createJournal>;
