import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { type BucketRequest, type BucketSettings, OutboundFailed, signBucketRequest } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import { checkStorageKey, RecordingLost, type RecordingStorage, StorageFailed } from '../contract/recording-storage.ts';

/** How long an upload may take, depending on its size. A bucket that doesn't respond must not hold up other work. */
const LEAST_PUT_MS = 30_000;
const MOST_PUT_MS = 10 * 60_000;
const LEAST_BYTES_PER_MS = 100;
const putMs = (bytes: number): number => Math.min(MOST_PUT_MS, LEAST_PUT_MS + bytes / LEAST_BYTES_PER_MS);
/** How long a download may take: an hour, because someone may be listening to it in real time. */
const OPEN_MS = 60 * 60_000;
/**
 * How long a bucket may send nothing. Less than a request to this service may take (`LIMITS.requestMs`), so that the
 * listener gets an error message and not a timeout.
 */
const SILENT_MS = 10_000;
const REMOVE_MS = 30_000;
/** Limit for a bucket's response that isn't audio. Only its status is used. */
const MOST_RESPONSE_BYTES = 64 * 1024;

/**
 * Stores recordings in an S3-compatible bucket. The operator set the bucket's URL, so a private IP address is allowed.
 */
export const createRecordingBucket = (
  { outbound, clock }: Pick<TelephonyContext, 'outbound' | 'clock'>,
  settings: BucketSettings,
): RecordingStorage => {
  const ask = async (asked: BucketRequest) => ({
    ...(await signBucketRequest({ clock }, settings, { ...asked, key: `recordings/${checkStorageKey(asked.key)}` })),
    trusted: true,
    mostBytes: MOST_RESPONSE_BYTES,
  });

  const refused = (verb: string, status: number) =>
    new StorageFailed(`The bucket didn't ${verb} the recording (${status}).`);

  return {
    async put(key, { path, bytes, sha256 }, signal) {
      const request = await ask({ method: 'PUT', key, sha256 });
      const body = { stream: createReadStream(path), bytes };
      const { status } = await outbound.request({
        ...request,
        body,
        timeoutMs: putMs(bytes),
        ...(signal && { signal }),
      });
      if (status !== 200) throw refused('accept', status);
    },
    async open(key, { start, length }) {
      if (length === 0) return Readable.from([]);
      const range = `bytes=${start}-${start + length - 1}`;
      const request = await ask({ method: 'GET', key, range });
      const { status, headers, body } = await outbound.open({
        ...request,
        mostBytes: Math.max(length, MOST_RESPONSE_BYTES),
        timeoutMs: OPEN_MS,
        idleMs: SILENT_MS,
      });
      // A bucket without range support returns 200 and the whole file. That's fine if the whole file was requested.
      const isWanted = (status === 206 || (status === 200 && start === 0)) && headers['content-length'] === `${length}`;
      if (isWanted) return body;
      body.on('error', () => undefined).destroy();
      if (status === 404 || status === 416 || status === 206)
        throw new RecordingLost('The audio of an archived recording is missing from the bucket.');
      throw refused('return', status);
    },
    async remove(key) {
      const request = await ask({ method: 'DELETE', key });
      const { status } = await outbound.request({ ...request, timeoutMs: REMOVE_MS });
      if (status !== 200 && status !== 204 && status !== 404) throw refused('delete', status);
    },
    // A bucket has no folders to remove.
    forgetTeam: async () => undefined,
  };
};

/** Whether an error means that the storage is unavailable, rather than a fault on our side. */
export const isStorageAway = (error: unknown): boolean =>
  error instanceof StorageFailed || error instanceof OutboundFailed;
