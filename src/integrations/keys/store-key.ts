import { type Refusal, Secret } from '../../platform/index.ts';
import type { AuditActor, Beginning } from '../../teams/index.ts';
import { usesClientCredentials } from '../catalogue/catalogue.ts';
import { plainHost } from '../catalogue/known-hosts.ts';
import { expandAddress } from '../catalogue/placeholders.ts';
import type { ClientCredentialsProvider, KeyProvider } from '../catalogue/provider.ts';
import type { Account } from '../catalogue/schemas.ts';
import { authorityOf } from '../connections/authority.ts';
import type { Connection, ConnectionKey } from '../connections/connection.ts';
import { renewalOf, startFresh } from '../connections/connection-tokens.ts';
import { storeConnection } from '../connections/put-connection.ts';
import type { IntegrationsContext } from '../context.ts';
import { nextVerificationAt } from '../due/verification.ts';
import { toEnteredClient, toTokenProvider } from '../requests/client-credentials.ts';
import type { AcceptedKey } from './accept-key.ts';
import { holdsKey, sealKey, toKeySecret } from './connection-key.ts';
import { keySuperseded, keyUnverified } from './errors.ts';

/** Values for the fields that a key doesn't need. A key has no OAuth app and no scopes, and doesn't expire. */
const WITHOUT_OAUTH = {
  ...{ clientId: '', clientOf: 'team', scopesAsked: [], scopesGranted: null, refreshToken: null },
  ...{ expiresAt: null, refreshExpiresAt: null, reconnectBefore: null, refreshedAt: null },
  ...{ installationId: null, accountFrom: null, refusal: null, refreshDueAt: null, refreshBegunAt: null },
  ...{ leaseOwner: null, leaseNumber: 0, leaseUntil: null },
} as const satisfies Partial<Connection>;

const NEW = {
  ...{ generation: 1, status: 'connected', reason: null, lastError: null, failures: 0, troubleSince: null },
  ...{ site: null, usedAt: null, renewedAt: null, verifiedAt: null, handedOutAt: null, containedBy: null },
} as const satisfies Partial<Connection>;

type NewKey = ConnectionKey & { connectedAt: number };

/** Finds the host that a key is for: the one of the API, or the one that issues access tokens for it. */
const keyAuthorityOf = (provider: KeyProvider, values: Record<string, string>): string =>
  usesClientCredentials(provider)
    ? authorityOf(toTokenProvider(provider), values)
    : plainHost(expandAddress(provider.record.api.url, values));

/** Seals a key that is itself sent to the API. It's verified once a day. */
const sealPlain = async (
  { vault, clock }: IntegrationsContext,
  provider: KeyProvider,
  { fields, details }: AcceptedKey,
  key: NewKey,
) => ({
  details: { ...details },
  authority: keyAuthorityOf(provider, { ...details, ...fields }),
  accessToken: await sealKey(vault, key, fields),
  verifyDueAt: provider.record.api.verify ? nextVerificationAt(clock.now(), Math.random()) : null,
});

/**
 * Seals a key that access tokens are requested with. It's stored like a refresh token. It needs no daily verification,
 * because each token request shows whether the key works.
 */
const sealClient = async (
  { vault, clock }: IntegrationsContext,
  provider: ClientCredentialsProvider,
  { fields, details, token }: AcceptedKey,
  key: NewKey,
) => {
  if (!token) throw keyUnverified(null);
  const resolved = toTokenProvider(provider);
  const { accessToken, expiresAt, scopes, kept } = token;
  const tokens = { accessToken: new Secret(accessToken), refreshToken: toKeySecret(fields), expiresAt, scopes };
  const rules = resolved.record.refresh ?? null;
  const given = { ...key, scopesAsked: [] };
  return {
    ...(await startFresh(vault, given, { ...tokens, refreshExpiresAt: null }, rules, clock.now(), renewalOf(resolved))),
    clientId: toEnteredClient(fields).id,
    details: { ...kept, ...details },
    authority: keyAuthorityOf(provider, details),
    verifyDueAt: null,
  };
};

const toRow = async (
  context: IntegrationsContext,
  provider: KeyProvider,
  accepted: AcceptedKey,
  storing: Storing,
): Promise<Connection> => {
  const { clock, newId } = context;
  const { teamId, provider: id, name, userId, enteredAt } = storing;
  const now = clock.now();
  const { connectedAt = enteredAt ?? now } = storing;
  const key = { teamId, provider: id, name, connectedAt };
  const refreshedAt = storing.connectedAt === undefined ? null : now;
  return {
    ...NEW,
    ...WITHOUT_OAUTH,
    scopesAsked: [],
    ...{ id: newId(), ...key, connectedBy: userId },
    accountId: accepted.account.id,
    accountLabel: accepted.account.label,
    ...(usesClientCredentials(provider)
      ? { ...(await sealClient(context, provider, accepted, key)), refreshedAt }
      : await sealPlain(context, provider, accepted, key)),
  };
};

type Storing = ConnectionKey & {
  userId: string;
  begun: Beginning;
  mayReplace: boolean;
  mayReplaceUnknown?: boolean;
  refuseGone(): Refusal;
  /** When the key was entered. If set, the key doesn't replace one that was entered later, but stored earlier. */
  enteredAt?: number;
  /** Only for an imported connection: when it was first connected. Its tokens are treated as refreshed now. */
  connectedAt?: number;
  /**
   * Throws if the existing connection must not be replaced. Runs during a transaction that it can't use, so it must not
   * query the database.
   */
  checkReplaced?(old: Connection): Promise<void>;
  /** More details for the audit log. */
  detail?: Record<string, unknown>;
};

/**
 * Stores an accepted key. It replaces the team's connection with the same name. Returns the replaced account if it's a
 * different one.
 */
export const storeKey = async (
  context: IntegrationsContext,
  provider: KeyProvider,
  accepted: AcceptedKey,
  storing: Storing,
  actor: AuditActor,
): Promise<Account | null> => {
  const row = await toRow(context, provider, accepted, storing);
  const {
    userId,
    begun,
    mayReplace,
    mayReplaceUnknown,
    refuseGone,
    enteredAt = Number.POSITIVE_INFINITY,
    detail = {},
  } = storing;
  const now = context.clock.now();
  const others = {
    // Ignore a `connectedAt` in the future, which was written while the clock was ahead.
    async checkReplaced(old: Connection): Promise<void> {
      await storing.checkReplaced?.(old);
      const isNewer = old.connectedAt > enteredAt && old.connectedAt <= now;
      if (isNewer && !(await holdsKey(context.vault, old, accepted))) throw keySuperseded();
    },
    // The replaced key can't be revoked from here. People delete keys at the provider.
    toRevocation: async () => null,
    authorityOf: (details: Record<string, string>) => keyAuthorityOf(provider, details),
    detail,
  };
  const rules = { mayReplace, ...(mayReplaceUnknown !== undefined && { mayReplaceUnknown }) };
  const stored = await storeConnection(context, row, { userId, begun, ...rules, refuseGone, ...others }, actor);
  return stored.previousAccount;
};
