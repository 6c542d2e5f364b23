import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BucketRequest,
  type BucketSettings,
  type Clock,
  CommandRefused,
  type Outbound,
  OutboundFailed,
  signBucketRequest,
} from '../../platform/index.ts';
import { digestFile } from './digest-file.ts';

/** Where backups are kept. */
export type BackupPlace = {
  /** Identifies the directory or bucket. The same for all processes that keep backups there. */
  id: string;
  /** What to check if the file can't be written. */
  advice: string;
  /** Returns the path of the file to write a backup to. Call `keep` once the file is complete. */
  fileFor(name: string): Promise<string>;
  /** Keeps the backup, once its file is complete. */
  keep(name: string): Promise<void>;
  /** The size of a backup in bytes. Null if it's missing. */
  measure(name: string): Promise<number | null>;
  /** Deletes a backup. False if it's missing. */
  remove(name: string): Promise<boolean>;
  /** Deletes the files that an interrupted attempt has left behind. */
  removePart(name: string): Promise<void>;
};

/**
 * The names that `make-backup.ts` gives. They are checked, because older names come from the database, which may have
 * been restored from any file.
 */
const NAME = /^patchbay-\d{8}T\d{6}Z-[0-9a-f]{6}\.zst$/;

const checkName = (name: string): string => {
  if (!NAME.test(name)) throw new TypeError('This is not the name of a backup.');
  return name;
};

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const removeFile = async (path: string): Promise<boolean> => {
  try {
    await rm(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

const createDirectoryPlace = (directory: string, setting = 'PATCHBAY_BACKUP_TO'): BackupPlace => {
  const pathOf = (name: string): string => join(directory, checkName(name));

  return {
    id: `directory ${directory}`,
    advice: `Check ${setting} and its permissions.`,
    async fileFor(name) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      return pathOf(name);
    },
    keep: async () => undefined,
    async measure(name) {
      try {
        return (await stat(pathOf(name))).size;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    remove: async (name) => removeFile(pathOf(name)),
    async removePart(name) {
      await removeFile(`${pathOf(name)}.part`);
    },
  };
};

/** The most bytes that S3 accepts in one request. */
const MOST_BYTES = 5 * 1024 ** 3;
const LEAST_MS = 60_000;
const LEAST_BYTES_PER_MS = 100;
const REMOVE_MS = 60_000;
const MOST_RESPONSE_BYTES = 64 * 1024;

type BucketContext = { outbound: Outbound; clock: Clock; data: string };

/**
 * Keeps backups in an S3-compatible bucket. They are written to the data directory first, because the request's headers
 * need the size and digest of the file.
 */
const createBucketPlace = ({ outbound, clock, data }: BucketContext, settings: BucketSettings): BackupPlace => {
  const local = createDirectoryPlace(join(data, 'backups'), 'PATCHBAY_DATA');

  const send = async (
    { name, ...asked }: Omit<BucketRequest, 'key'> & { name: string },
    file: { path: string; bytes: number } | null = null,
  ) => {
    const sha256 = file ? { sha256: await digestFile(file.path) } : {};
    const request = await signBucketRequest({ clock }, settings, {
      ...asked,
      key: `backups/${checkName(name)}`,
      ...sha256,
    });
    try {
      return await outbound.request({
        ...request,
        trusted: true,
        mostBytes: MOST_RESPONSE_BYTES,
        timeoutMs: file ? LEAST_MS + file.bytes / LEAST_BYTES_PER_MS : REMOVE_MS,
        ...(file && { body: { stream: createReadStream(file.path), bytes: file.bytes } }),
      });
    } catch (error) {
      throw error instanceof OutboundFailed ? new CommandRefused(error.message) : error;
    }
  };

  const remove = async (name: string): Promise<boolean> => {
    const { status } = await send({ method: 'DELETE', name });
    if (status !== 200 && status !== 204 && status !== 404)
      throw new CommandRefused(`The bucket didn't delete a backup (${status}).`);
    return status !== 404;
  };

  const put = async (name: string, path: string): Promise<void> => {
    const { size: bytes } = await stat(path);
    if (bytes > MOST_BYTES)
      throw new CommandRefused(
        'The backup is larger than 5 GiB, which is more than the bucket takes in one piece. Set PATCHBAY_BACKUP_TO to a directory.',
      );
    try {
      const { status } = await send({ method: 'PUT', name }, { path, bytes });
      if (status !== 200)
        throw new CommandRefused(`The bucket didn't accept the backup (${status}). Check the S3_* settings.`);
    } catch (error) {
      // If only the response was lost, the bucket has the file. A backup that failed is never deleted later, so delete
      // it now.
      await remove(name).catch(() => undefined);
      throw error;
    }
  };

  return {
    id: `bucket ${settings.endpoint}/${settings.bucket}`,
    advice: local.advice,
    fileFor: local.fileFor,
    async keep(name) {
      try {
        await put(name, await local.fileFor(name));
      } finally {
        await local.remove(name);
      }
    },
    async measure(name) {
      const { status, headers } = await send({ method: 'GET', name, range: 'bytes=0-0' });
      if (status === 404) return null;
      const bytes = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
      if (bytes === undefined) throw new CommandRefused(`The bucket didn't say how large a backup is (${status}).`);
      return Number(bytes);
    },
    remove,
    async removePart(name) {
      await local.removePart(name);
      await local.remove(name);
    },
  };
};

/** `directory` is null for backups in the bucket. */
export const createBackupPlace = (
  context: BucketContext,
  { directory }: { directory: string | null },
  bucket: BucketSettings | null,
): BackupPlace => {
  if (directory !== null) return createDirectoryPlace(directory);
  if (!bucket) throw new TypeError('The bucket for backups is not set.');
  return createBucketPlace(context, bucket);
};
