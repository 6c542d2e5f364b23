import type { App } from '../../src/app.ts';
import type { Connection } from '../../src/integrations/connections/connection.ts';
import { DEFAULT_CONNECTION } from '../../src/integrations/connections/connection-name.ts';
import { sealTokens } from '../../src/integrations/connections/connection-tokens.ts';
import { randomSecret, Secret } from '../../src/platform/index.ts';

const YEAR_MS = 365 * 24 * 3_600_000;

/** Makes a healthy connection with sealed tokens, whose refresh is due in a year. */
export const makeConnection = async (
  { vault, clock, newId }: Pick<App, 'vault' | 'clock' | 'newId'>,
  { teamId, userId }: { teamId: string; userId: string },
  provider: string,
): Promise<Connection> => {
  const now = clock.now();
  const tokens = { accessToken: new Secret(randomSecret()), refreshToken: new Secret(randomSecret()) };
  return {
    id: newId(),
    teamId,
    provider,
    name: DEFAULT_CONNECTION,
    generation: 1,
    status: 'connected',
    reason: null,
    accountId: newId(),
    accountLabel: `account@${provider}.example`,
    installationId: null,
    accountFrom: null,
    details: {},
    site: null,
    clientId: `client-of-${provider}`,
    clientOf: 'operator',
    authority: 'vendor.example',
    scopesAsked: ['read', 'write'],
    scopesGranted: ['read', 'write'],
    ...(await sealTokens(vault, { teamId, provider, name: DEFAULT_CONNECTION }, tokens)),
    expiresAt: now + YEAR_MS,
    refreshExpiresAt: null,
    reconnectBefore: null,
    connectedAt: now,
    connectedBy: userId,
    refreshedAt: null,
    lastError: null,
    failures: 0,
    troubleSince: null,
    refusal: null,
    refreshDueAt: now + YEAR_MS,
    leaseOwner: null,
    leaseNumber: 0,
    leaseUntil: null,
    refreshBegunAt: null,
    usedAt: null,
    renewedAt: null,
    verifyDueAt: null,
    verifiedAt: null,
    handedOutAt: null,
    containedBy: null,
  };
};
