import { AwsV4Signer } from 'aws4fetch';
import type { Clock } from '../clock.ts';
import type { Secret } from '../secret.ts';
import type { OutboundRequest } from './outbound.ts';

export type BucketSettings = {
  /** Scheme, host and port. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: Secret;
};

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export type BucketRequest = { method: 'GET' | 'PUT' | 'DELETE'; key: string; sha256?: string; range?: string };

/** A time in Amazon's format: `20261115T120000Z`. */
const toAmzDate = (ms: number): string => new Date(ms).toISOString().replace(/[:-]|\.\d{3}/g, '');

/** Signs a request with Signature Version 4: its method, URL, time, and the digest of its body. */
export const signBucketRequest = async (
  { clock }: { clock: Clock },
  { endpoint, bucket, region, accessKeyId, secretAccessKey }: BucketSettings,
  { method, key, sha256 = EMPTY_SHA256, range }: BucketRequest,
): Promise<Pick<OutboundRequest, 'url' | 'headers' | 'method'>> => {
  const signer = new AwsV4Signer({
    method,
    // The bucket is in the path: not every store has a host per bucket.
    url: `${endpoint}/${bucket}/${key}`,
    headers: { 'x-amz-content-sha256': sha256, ...(range !== undefined && { range }) },
    service: 's3',
    region,
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    datetime: toAmzDate(clock.now()),
  });
  const { url, headers } = await signer.sign();
  return { method, url: url.href, headers: Object.fromEntries(headers) };
};
