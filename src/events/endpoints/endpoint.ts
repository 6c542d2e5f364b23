import { createHmac, randomBytes } from 'node:crypto';
import { Secret } from '../../platform/index.ts';
import { EVENT_TYPES, type EventType, OPERATOR_ONLY } from '../log/event.ts';

/** Whose endpoints: a team's, or the operator's, which belong to the first team. */
export type EndpointOwner = { teamId: string; forOperator: boolean };

export type InactiveReason = 'paused' | 'gone' | 'failing';

/** A secret that was replaced, sealed, and until when it also signs. */
export type OldSecret = { secret: string; until: number };

/** Where events are sent, as it's stored. */
export type Endpoint = EndpointOwner & {
  id: string;
  /** Sealed. */
  url: string;
  types: readonly string[];
  description: string;
  inactiveReason: InactiveReason | null;
  inactiveSince: number | null;
  /** Sealed, like the old one, which also signs until it expires. */
  secret: string;
  oldSecret: string | null;
  oldSecretUntil: number | null;
  /** From before the old one, the newest first. */
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

/** An event that was under way at a success may have failed after it. */
const UNDER_WAY_MS = 60_000;

/** Where a replay of what it missed begins: nothing after the last success was accepted. If it was behind, it missed more. */
export const missedSince = ({ lastSuccessAt, createdAt }: Pick<Endpoint, 'lastSuccessAt' | 'createdAt'>): number =>
  lastSuccessAt === null ? createdAt : lastSuccessAt - UNDER_WAY_MS;

const ALL = '*';
const groupOf = (type: string): string => `${type.slice(0, type.indexOf('.'))}.*`;

/** A type, a group like `call.*`, or `*`. */
export const choicesOf = (forOperator: boolean): string[] => {
  const types = EVENT_TYPES.filter((type) => type !== 'test' && (forOperator || type !== OPERATOR_ONLY));
  return [ALL, ...new Set(types.map(groupOf)), ...types];
};

/** A test is only for the endpoint that it was made for, and is sent right then. */
export const wants = ({ types }: Pick<Endpoint, 'types'>, type: EventType): boolean =>
  type !== 'test' && (types.includes(ALL) || types.includes(type) || types.includes(groupOf(type)));

/** Undefined if it wants everything. */
export const wantedTypes = (endpoint: Pick<Endpoint, 'types'>): EventType[] | undefined =>
  endpoint.types.includes(ALL) ? undefined : EVENT_TYPES.filter((type) => wants(endpoint, type));

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** What a secret looks like. */
export const ENDPOINT_SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

export const newEndpointSecret = (): Secret =>
  new Secret(`${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`);

const MOST_OLD_SECRETS = 5;

/** What also signs at a time, the newest first. */
export const oldSecretsAt = (
  { oldSecret, oldSecretUntil, olderSecrets }: Pick<Endpoint, 'oldSecret' | 'oldSecretUntil' | 'olderSecrets'>,
  now: number,
): OldSecret[] => {
  const old = oldSecret === null ? [] : [{ secret: oldSecret, until: oldSecretUntil ?? 0 }];
  return [...old, ...olderSecrets].filter(({ until }) => until > now).slice(0, MOST_OLD_SECRETS);
};

type Signed = { id: string; at: number; body: string };

/** As Standard Webhooks has it, one signature for each secret: https://www.standardwebhooks.com */
export const signEvent = (secrets: readonly Secret[], { id, at, body }: Signed): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.reveal().slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
};
