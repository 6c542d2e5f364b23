import type { Clock } from '../clock.ts';

type Rate = { clock: Clock; perMinute: number; minutes?: number };
type Bucket = { left: number; at: number };

const MOST_BUCKETS = 50_000;
const MINUTE_MS = 60_000;

/**
 * Keeps a bucket for each caller that holds some minutes' worth of requests and refills evenly. Buckets are in memory,
 * so each replica has its own. When there are too many buckets, the oldest is dropped, and its caller starts with a
 * full one.
 */
export const createRateLimit = ({ clock, perMinute, minutes = 1 }: Rate) => {
  const buckets = new Map<string, Bucket>();
  const most = perMinute * minutes;
  const perMs = perMinute / MINUTE_MS;

  const bucketOf = (key: string, now: number): Bucket => {
    const known = buckets.get(key);
    if (known) return known;
    if (buckets.size >= MOST_BUCKETS) buckets.delete(buckets.keys().next().value ?? '');
    const fresh = { left: most, at: now };
    buckets.set(key, fresh);
    return fresh;
  };

  const fill = (bucket: Bucket, now: number): void => {
    bucket.left = Math.min(most, bucket.left + Math.max(0, now - bucket.at) * perMs);
    bucket.at = now;
  };

  const readBucket = (key: string): Bucket => {
    const now = clock.now();
    const bucket = bucketOf(key, now);
    fill(bucket, now);
    return bucket;
  };

  const waitMs = ({ left }: Bucket): number => (left < 1 ? (1 - left) / perMs : 0);
  const waitSeconds = (bucket: Bucket): number => Math.ceil(waitMs(bucket) / 1_000);

  return {
    /** Takes one request. Returns 0, or how many seconds to wait. */
    take(key: string): number {
      const bucket = readBucket(key);
      const wait = waitSeconds(bucket);
      if (wait === 0) bucket.left -= 1;
      return wait;
    },
    /** Reserves the next request. Returns how many milliseconds to wait for it, or null if that is longer than `mostMs`. */
    takeWithin(mostMs: number, key: string): number | null {
      const bucket = readBucket(key);
      const wait = waitMs(bucket);
      if (wait > mostMs) return null;
      bucket.left -= 1;
      return wait;
    },
    /** Returns one request to the bucket. */
    giveBack(key: string): void {
      const bucket = buckets.get(key);
      if (bucket) bucket.left = Math.min(most, bucket.left + 1);
    },
    /** Returns what `take` would return, without taking a request. */
    look(key: string): number {
      const bucket = buckets.get(key);
      if (!bucket) return 0;
      fill(bucket, clock.now());
      return waitSeconds(bucket);
    },
  };
};

export type RateLimit = ReturnType<typeof createRateLimit>;
