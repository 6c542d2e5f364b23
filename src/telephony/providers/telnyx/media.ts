import type { TelephonyProvider } from '../../contract/provider.ts';
import { requestMedia } from '../../provider-parts/request-media.ts';
import { toInstant, UUID } from '../../provider-parts/values.ts';

/**
 * How long URLs from Call Control and TeXML are valid (docs, "Storing call recordings" and "Record"; seen November
 * 2026).
 */
const VALID_MS = 10 * 60_000;

/**
 * Names of all buckets known to be Telnyx's (docs, "Storing call recordings"; the second, for Frankfurt, seen November
 * 2026). Names are compared in full, because anyone can create a bucket whose name starts the same.
 */
const BUCKET = 'telephony-recorder-prod(?:-fr5)?';
const STORE = 's3(?:[.-][a-z]{2}(?:-[a-z]+){1,2}-\\d)?\\.amazonaws\\.com';
const BUCKET_HOST = new RegExp(`^${BUCKET}\\.${STORE}$`);
const STORE_HOST = new RegExp(`^${STORE}$`);
const BUCKET_PATH = new RegExp(`^/${BUCKET}/`);

const parse = (address: string): URL | null => (URL.canParse(address) ? new URL(address) : null);

const isKeptThere = ({ protocol, username, password, port, hostname, pathname }: URL): boolean =>
  protocol === 'https:' &&
  username === '' &&
  password === '' &&
  port === '' &&
  (BUCKET_HOST.test(hostname) ||
    (STORE_HOST.test(hostname) && BUCKET_PATH.test(pathname)) ||
    hostname.endsWith('.telnyx.com'));

/** Returns when a URL stops working: as it says itself, or else ten minutes after it was reported. */
export const expiryOf = (address: string | null, toldAt: number): number | null => {
  if (address === null) return null;
  const query = parse(address)?.searchParams;
  const [, day, time] = /^(\d{8})T(\d{6})Z$/.exec(query?.get('X-Amz-Date') ?? '') ?? [];
  const seconds = /^\d{1,6}$/.exec(query?.get('X-Amz-Expires') ?? '')?.[0];
  if (!day || !time || !seconds) return toldAt + VALID_MS;
  const signedAt = toInstant(
    `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`,
  );
  return signedAt === null ? toldAt + VALID_MS : signedAt + Number(seconds) * 1_000;
};

/** Makes the request for a recording. The URL carries its own permission, so no credentials are sent. */
export const mediaOf: TelephonyProvider['mediaOf'] = ({ mediaUrl }) => {
  const url = parse(mediaUrl ?? '');
  if (!url) return { missing: 'a recording URL from Telnyx' };
  if (!isKeptThere(url)) return { missing: 'its recordings stored at Telnyx, but this one is stored elsewhere' };
  return { url: url.href, headers: {}, hosts: [url.hostname], redirectHosts: [] };
};

export const removalOf: TelephonyProvider['removalOf'] = ({ recordingId }, { api }) => {
  if (!UUID.test(recordingId)) return null;
  const key = api['key'];
  if (!key) return { missing: 'an API key (api.key)' };
  return requestMedia('api.telnyx.com', `/v2/recordings/${recordingId}`, { authorization: `Bearer ${key}` });
};
