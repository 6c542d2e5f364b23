import { createHmac, randomBytes } from 'node:crypto';
import { Secret } from '../../platform/index.ts';

/** Who owns an endpoint: a team or the operator. The operator's endpoints are stored in the first team. */
export type EndpointOwner = { teamId: string; forOperator: boolean };

export type InactiveReason = 'paused' | 'gone' | 'failing';

/** A replaced secret, sealed. Until this time, events are signed with it, too. */
export type OldSecret = { secret: string; until: number };

/** An endpoint as it's stored: where events are sent. */
export type Endpoint = EndpointOwner & {
  id: string;
  /** The sealed URL. */
  url: string;
  types: readonly string[];
  description: string;
  inactiveReason: InactiveReason | null;
  inactiveSince: number | null;
  /** Both are sealed. Until `oldSecretUntil`, events are signed with both. */
  secret: string;
  oldSecret: string | null;
  oldSecretUntil: number | null;
  /** Secrets from before `oldSecret`, newest first. */
  olderSecrets: readonly OldSecret[];
  position: number;
  replayPosition: number | null;
  replayUntil: number | null;
  retryAt: number | null;
  failingSince: number | null;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  createdAt: number;
  changedAt: number;
};

/** Longer than any request. A request that was in progress at the last success may still have failed later. */
const UNDER_WAY_MS = 60_000;

/**
 * Where a replay of missed events starts: at the last success, because every later event failed. If the endpoint was
 * behind at that time, it has also missed earlier events, which the replay leaves out.
 */
export const missedSince = ({ lastSuccessAt, createdAt }: Pick<Endpoint, 'lastSuccessAt' | 'createdAt'>): number =>
  lastSuccessAt === null ? createdAt : lastSuccessAt - UNDER_WAY_MS;

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** The format of a secret. */
export const ENDPOINT_SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

export const newEndpointSecret = (): Secret =>
  new Secret(`${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`);

/** Changes whenever the secret is replaced. Reveals nothing about the secret. */
export const versionOfSecret = ({ oldSecretUntil }: Pick<Endpoint, 'oldSecretUntil'>): string =>
  String(oldSecretUntil ?? 'first');

const MOST_OLD_SECRETS = 5;

/** The old secrets that events are also signed with at this time, newest first. */
export const oldSecretsAt = (
  { oldSecret, oldSecretUntil, olderSecrets }: Pick<Endpoint, 'oldSecret' | 'oldSecretUntil' | 'olderSecrets'>,
  now: number,
): OldSecret[] => {
  const old = oldSecret === null ? [] : [{ secret: oldSecret, until: oldSecretUntil ?? 0 }];
  return [...old, ...olderSecrets].filter(({ until }) => until > now).slice(0, MOST_OLD_SECRETS);
};

type Signed = { id: string; at: number; body: string };

/** Signs according to Standard Webhooks, with one signature for each secret: https://www.standardwebhooks.com */
export const signEvent = (secrets: readonly Secret[], { id, at, body }: Signed): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.reveal().slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
};
