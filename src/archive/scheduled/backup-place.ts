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
  /** The same for all processes that keep them there. */
  id: string;
  /** For when the file can't be written. */
  advice: string;
  /** Where to write one with this name before it's kept. */
  fileFor(name: string): Promise<string>;
  /** Takes the whole file that was written there. */
  keep(name: string): Promise<void>;
  /** How many bytes it has. Null if it isn't there. */
  measure(name: string): Promise<number | null>;
  /** False if it isn't there. */
  remove(name: string): Promise<boolean>;
  /** What an attempt that was interrupted has left behind. */
  removePart(name: string): Promise<void>;
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

const createDirectoryPlace = (directory: string, setting = 'PATCHBAY_BACKUP_TO'): BackupPlace => ({
  id: `directory ${directory}`,
  advice: `Check ${setting} and its permissions.`,
  async fileFor(name) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return join(directory, name);
  },
  keep: async () => undefined,
  async measure(name) {
    try {
      return (await stat(join(directory, name))).size;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  remove: (name) => removeFile(join(directory, name)),
  async removePart(name) {
    await removeFile(join(directory, `${name}.part`));
  },
});

/** What a store takes in one request (S3). */
const MOST_BYTES = 5 * 1024 ** 3;
const LEAST_MS = 60_000;
const LEAST_BYTES_PER_MS = 100;
const REMOVE_MS = 60_000;
const MOST_RESPONSE_BYTES = 64 * 1024;

type BucketContext = { outbound: Outbound; clock: Clock; data: string };

/** In an S3-compatible bucket. Written to the data directory first, because its size and digest come before it. */
const createBucketPlace = ({ outbound, clock, data }: BucketContext, settings: BucketSettings): BackupPlace => {
  const local = createDirectoryPlace(join(data, 'backups'), 'PATCHBAY_DATA');

  const send = async (
    { name, ...asked }: Omit<BucketRequest, 'key'> & { name: string },
    file: { path: string; bytes: number } | null = null,
  ) => {
    const sha256 = file ? { sha256: await digestFile(file.path) } : {};
    const request = await signBucketRequest({ clock }, settings, { ...asked, key: `backups/${name}`, ...sha256 });
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

  return {
    id: `bucket ${settings.endpoint}/${settings.bucket}`,
    advice: local.advice,
    fileFor: local.fileFor,
    async keep(name) {
      const path = await local.fileFor(name);
      try {
        const { size: bytes } = await stat(path);
        if (bytes > MOST_BYTES)
          throw new CommandRefused(
            'The backup is larger than 5 GiB, which is more than the bucket takes in one piece. Set PATCHBAY_BACKUP_TO to a directory.',
          );
        const { status } = await send({ method: 'PUT', name }, { path, bytes });
        if (status !== 200)
          throw new CommandRefused(`The bucket didn't accept the backup (${status}). Check the S3_* settings.`);
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
    async remove(name) {
      const { status } = await send({ method: 'DELETE', name });
      if (status !== 200 && status !== 204 && status !== 404)
        throw new CommandRefused(`The bucket didn't delete a backup (${status}).`);
      return status !== 404;
    },
    async removePart(name) {
      await local.removePart(name);
      await local.remove(name);
    },
  };
};

/** `directory` is null for the bucket. */
export const createBackupPlace = (
  context: BucketContext,
  { directory }: { directory: string | null },
  bucket: BucketSettings | null,
): BackupPlace => {
  if (directory !== null) return createDirectoryPlace(directory);
  if (!bucket) throw new TypeError('The bucket for backups is not set.');
  return createBucketPlace(context, bucket);
};
