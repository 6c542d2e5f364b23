import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Log } from '../log.ts';

/** Suffix of a file that is being written. Other processes leave the file alone while its writer lives. */
const OPEN_SUFFIX = '.open';
const MOST_FILE_BYTES = 16 * 1024 * 1024;
const ROWS_AT_ONCE = 200;

type Waiting = { line: string; resolve(): void; reject(error: Error): void };
type OpenFile = { handle: FileHandle; path: string; bytes: number };

/**
 * Stores rows from a journal file. Returns `some_refused` if the file must be kept for inspection. Throws if the
 * database is unavailable.
 */
export type StoreRows<Row> = (rows: readonly Row[]) => Promise<unknown>;

/** How a line is encrypted. `open` throws if it can't be decrypted. */
export type LineSeal = { seal(text: string): string; open(line: string): string };

const openLine = <Row>({ open }: LineSeal, line: string): Row | null => {
  try {
    return JSON.parse(open(line));
  } catch {
    return null;
  }
};

/** Hands the rows of a file to `store`. Returns how many rows there were, and whether the file can be removed. */
const readBack = async <Row>(
  lineSeal: LineSeal,
  path: string,
  store: StoreRows<Row>,
): Promise<{ rows: number; isDone: boolean }> => {
  let [rows, isDone, unread]: [number, boolean, boolean] = [0, true, false];
  let batch: Row[] = [];
  const handOver = async (): Promise<void> => {
    if (batch.length > 0 && (await store(batch)) === 'some_refused') isDone = false;
    rows += batch.length;
    batch = [];
  };
  for await (const line of createInterface({ input: createReadStream(path, 'utf8') })) {
    // A crash can only have cut off the last line. If an earlier line can't be opened, the file is kept.
    if (unread) isDone = false;
    const row = openLine<Row>(lineSeal, line);
    unread = row === null;
    if (row) batch.push(row);
    if (batch.length >= ROWS_AT_ONCE) await handOver();
  }
  await handOver();
  return { rows, isDone: isDone && !(unread && rows === 0) };
};

/**
 * Keeps rows while the database is unavailable: in files in the data directory, with one sealed line per row. A row is
 * acknowledged only once its line is on disk, so a last line that a crash cut off is no loss: its sender sends it
 * again. A closed file is read back, and removed once the database has all of it.
 */
export const createJournal = <Row>(lineSeal: LineSeal, log: Log, directory: string) => {
  let file: OpenFile | null = null;
  let waiting: Waiting[] = [];
  let writing = false;
  /** Files that stay on disk but aren't read again by this process, such as when a key is missing. */
  const setAside = new Set<string>();

  const openFile = async (): Promise<OpenFile> => {
    if (file) return file;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, `${Date.now()}-${randomUUID()}${OPEN_SUFFIX}`);
    file = { handle: await open(path, 'wx', 0o600), path, bytes: 0 };
    // Syncs the directory as well. Otherwise, a power cut could lose the file's name.
    const folder = await open(directory, 'r');
    await folder.sync().finally(() => folder.close());
    return file;
  };

  const closeFile = async (): Promise<void> => {
    const closing = file;
    file = null;
    if (!closing) return;
    await closing.handle.close();
    await rename(closing.path, closing.path.slice(0, -OPEN_SUFFIX.length));
  };

  const writeGroup = async (group: readonly Waiting[]): Promise<void> => {
    const opened = await openFile();
    const text = group.map(({ line }) => line).join('');
    await opened.handle.appendFile(text);
    await opened.handle.datasync();
    opened.bytes += text.length;
    if (opened.bytes >= MOST_FILE_BYTES) await closeFile();
  };

  /** Writes and syncs all waiting lines together. Lines that arrive meanwhile are the next group. */
  const writeAll = async (): Promise<void> => {
    writing = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await writeGroup(group);
        for (const { resolve } of group) resolve();
      } catch (error) {
        // After a failure, it's unknown what this file contains on disk, so the next write starts a new file.
        await closeFile().catch((err) => log.error({ err }, 'a journal file could not be closed'));
        for (const { reject } of group) reject(error instanceof Error ? error : new Error('The journal failed.'));
      }
    }
    writing = false;
  };

  const listFiles = async (): Promise<string[]> => {
    const names = await readdir(directory).catch((error) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.sort();
  };

  return {
    /** Resolves once the row is on disk. */
    append(row: Row): Promise<void> {
      const line = `${lineSeal.seal(JSON.stringify(row))}\n`;
      return new Promise((resolve, reject) => {
        waiting.push({ line, resolve, reject });
        if (!writing) void writeAll();
      });
    },
    /** Takes over files that an earlier process left open. Call it only if no other process uses the data directory. */
    async adopt(): Promise<void> {
      for (const name of await listFiles()) {
        const path = join(directory, name);
        if (name.endsWith(OPEN_SUFFIX) && path !== file?.path) await rename(path, path.slice(0, -OPEN_SUFFIX.length));
      }
    },
    /** Hands all rows to `store`, and removes each file once all of it is stored. Returns how many rows there were. */
    async ingest(store: StoreRows<Row>): Promise<number> {
      if (!writing) await closeFile();
      let ingested = 0;
      for (const name of await listFiles()) {
        const path = join(directory, name);
        if (name.endsWith(OPEN_SUFFIX) || setAside.has(path)) continue;
        const { rows, isDone } = await readBack(lineSeal, path, store);
        ingested += rows;
        if (isDone) await rm(path, { force: true });
        else {
          setAside.add(path);
          log.error({ file: name }, 'a journal file is kept because some of it cannot be opened or was refused');
        }
      }
      return ingested;
    },
    /** Counts the rows in all files, whichever process wrote them. */
    async count(): Promise<number> {
      let lines = 0;
      for (const name of await listFiles())
        for await (const _ of createInterface({ input: createReadStream(join(directory, name), 'utf8') })) lines++;
      return lines;
    },
    close: closeFile,
  };
};

export type Journal<Row> = ReturnType<typeof createJournal<Row>>;
