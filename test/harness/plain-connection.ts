import type { Connection } from '../../src/integrations/connections/connection.ts';

/** A row without tokens that anyone could open, for tests that are only about the row. */
export const plainConnection = (
  holder: Pick<Connection, 'teamId' | 'connectedBy'>,
  { id, ...changes }: Partial<Connection> & Pick<Connection, 'id'>,
): Connection => ({
  status: 'connected',
  clientOf: 'operator',
  ...{ id, provider: 'acme', name: id, generation: 1, reason: null },
  ...{ accountId: 'account-1', accountLabel: null, installationId: null, accountFrom: null },
  ...{ details: {}, site: null },
  ...{ clientId: 'client', authority: 'acme.example', scopesAsked: [], scopesGranted: null },
  ...{ accessToken: 'sealed', refreshToken: 'sealed', expiresAt: null, refreshExpiresAt: null, reconnectBefore: null },
  ...{ connectedAt: 1, refreshedAt: null, lastError: null, failures: 0, troubleSince: null, refusal: null },
  ...{ refreshDueAt: null, leaseOwner: null, leaseNumber: 0, leaseUntil: null, refreshBegunAt: null },
  ...{ usedAt: null, renewedAt: null, verifyDueAt: null, verifiedAt: null, handedOutAt: null, containedBy: null },
  ...holder,
  ...changes,
});
