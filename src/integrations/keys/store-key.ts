import type { Refusal } from '../../platform/index.ts';
import type { AuditActor } from '../../teams/index.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import { plainHost } from '../catalogue/known-hosts.ts';
import { expandAddress } from '../catalogue/placeholders.ts';
import type { KeyProvider } from '../catalogue/provider.ts';
import type { Connection, ConnectionKey } from '../connections/connection.ts';
import { storeConnection } from '../connections/put-connection.ts';
import type { AcceptedKey } from './accept-key.ts';
import { holdsKey, sealKey } from './connection-key.ts';
import { keySuperseded } from './errors.ts';
import { nextVerificationAt } from './verification.ts';

/** There is no OAuth app, there are no scopes, and nothing expires. */
const WITHOUT_OAUTH = {
  ...{ clientId: '', clientOf: 'team', scopesAsked: [], scopesGranted: null, refreshToken: null },
  ...{ expiresAt: null, refreshExpiresAt: null, reconnectBefore: null, refreshedAt: null },
  ...{ refusal: null, refreshDueAt: null, refreshBegunAt: null },
  ...{ leaseOwner: null, leaseNumber: 0, leaseUntil: null },
} as const satisfies Partial<Connection>;

const NEW = {
  ...{ generation: 1, status: 'connected', reason: null, lastError: null, failures: 0, troubleSince: null },
  ...{ usedAt: null, renewedAt: null },
} as const satisfies Partial<Connection>;

const toRow = async (
  { vault, clock, newId }: IntegrationsContext,
  { record }: KeyProvider,
  { fields, details, account }: AcceptedKey,
  { teamId, provider, name, userId, enteredAt }: ConnectionKey & { userId: string; enteredAt?: number },
): Promise<Connection> => {
  const connectedAt = enteredAt ?? clock.now();
  return {
    ...NEW,
    ...WITHOUT_OAUTH,
    scopesAsked: [],
    ...{ id: newId(), teamId, provider, name, connectedAt, connectedBy: userId },
    accountId: account.id,
    accountLabel: account.label,
    details: { ...details },
    authority: plainHost(expandAddress(record.api.url, { ...details, ...fields })),
    accessToken: await sealKey(vault, { teamId, provider, name }, fields),
    verifyDueAt: record.api.verify ? nextVerificationAt(connectedAt, Math.random()) : null,
  };
};

type Storing = ConnectionKey & {
  userId: string;
  begunAt: number;
  replace: boolean;
  refuseGone(): Refusal;
  /** If given, it doesn't replace a key that was entered later, but accepted sooner. */
  enteredAt?: number;
};

/** Stores a key that was accepted. It replaces the team's connection under the same name. */
export const storeKey = async (
  context: IntegrationsContext,
  provider: KeyProvider,
  accepted: AcceptedKey,
  storing: Storing,
  actor: AuditActor,
): Promise<void> => {
  const row = await toRow(context, provider, accepted, storing);
  const { userId, begunAt, replace, refuseGone, enteredAt = Number.POSITIVE_INFINITY } = storing;
  const now = context.clock.now();
  const others = {
    // A time to come was written while the clock was ahead.
    async checkReplaced(old: Connection): Promise<void> {
      const isNewer = old.connectedAt > enteredAt && old.connectedAt <= now;
      if (isNewer && !(await holdsKey(context.vault, old, accepted))) throw keySuperseded();
    },
    // A key is ended where it was made, so nothing is left to do about the one that's replaced.
    sealReplaced: async () => null,
    detail: {},
  };
  await storeConnection(context, row, { userId, begunAt, replace, refuseGone, ...others }, actor);
};
