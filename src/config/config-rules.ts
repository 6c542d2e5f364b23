import { isLoopbackHost, type Secret } from '../platform/index.ts';

const LEAST_CHARACTERS = 16;
const LEAST_DIFFERENT = 8;

export const isLoopbackOrigin = (origin: string): boolean => isLoopbackHost(new URL(origin).hostname);

const isWeak = (secret: string): boolean => secret.length < LEAST_CHARACTERS || new Set(secret).size < LEAST_DIFFERENT;

type Doors = {
  keys: Secret | null;
  adminToken: Secret | null;
  cronSecrets: readonly Secret[];
  debugToken: Secret | null;
  metricsToken: Secret | null;
};

type Named = { name: string; secret: Secret };

const listSecrets = ({ adminToken, cronSecrets, debugToken, metricsToken }: Doors): Named[] =>
  [
    { name: 'PATCHBAY_ADMIN_TOKEN', secret: adminToken },
    ...cronSecrets.map((secret) => ({ name: 'CRON_SECRET', secret })),
    { name: 'DEBUG_TOKEN', secret: debugToken },
    { name: 'METRICS_TOKEN', secret: metricsToken },
  ].filter((named): named is Named => named.secret !== null);

/** What production does not accept: no keys, weak secrets, one secret for two doors. */
export const findProductionProblems = (config: Doors): string[] => {
  const problems: string[] = [];
  if (!config.keys) {
    problems.push(
      'PATCHBAY_KEYS must be set in production. Use k1:<output of "openssl rand -base64 32">, or the keys in secrets.json of the data directory you used before.',
    );
  }
  const holders = new Map<string, string>();
  for (const { name, secret } of listSecrets(config)) {
    const value = secret.reveal();
    const holder = holders.get(value);
    if (isWeak(value)) {
      problems.push(
        `${name} is too weak for production. Use at least ${LEAST_CHARACTERS} random characters ("openssl rand -base64 32").`,
      );
    } else if (config.keys?.reveal().includes(value)) {
      problems.push(`${name} must not be a key from PATCHBAY_KEYS. Use a different secret for each setting.`);
    } else if (holder !== undefined) {
      problems.push(
        `${name} must not equal ${holder === name ? 'another entry in its list' : holder}. Use a different secret for each setting.`,
      );
    }
    holders.set(value, name);
  }
  return problems;
};

type BucketParts = {
  s3Endpoint: string | null;
  s3Bucket: string | null;
  s3Region: string;
  s3AccessKeyId: string | null;
  s3SecretAccessKey: Secret | null;
};

/** The bucket, once all of it is set. */
export const toBucket = ({ s3Endpoint, s3Bucket, s3Region, s3AccessKeyId, s3SecretAccessKey }: BucketParts) =>
  s3Endpoint && s3Bucket && s3AccessKeyId && s3SecretAccessKey
    ? {
        endpoint: s3Endpoint,
        bucket: s3Bucket,
        region: s3Region,
        accessKeyId: s3AccessKeyId,
        secretAccessKey: s3SecretAccessKey,
      }
    : null;

/** All of a bucket or none: with a part of it recordings would go somewhere else than was meant. */
export const findBucketProblems = (config: BucketParts): string[] => {
  const parts = {
    S3_ENDPOINT: config.s3Endpoint,
    S3_BUCKET: config.s3Bucket,
    S3_ACCESS_KEY_ID: config.s3AccessKeyId,
    S3_SECRET_ACCESS_KEY: config.s3SecretAccessKey,
  };
  const unset = Object.entries(parts).flatMap(([name, value]) => (value === null ? [name] : []));
  return unset.length === 0 || unset.length === Object.keys(parts).length
    ? []
    : [`${unset.join(' and ')} must be set if the other bucket settings are. Set all of them, or none.`];
};
