import { isKeyBased, usesClientCredentials } from '../catalogue/catalogue.ts';
import type { Client } from '../catalogue/client.ts';
import type { ResolvedProvider } from '../catalogue/provider.ts';
import type { IntegrationsContext } from '../context.ts';
import type { AskContext, Target } from './ask-provider.ts';
import { requestClientToken, toEnteredClient, toTokenProvider } from './client-credentials.ts';
import { type Granted, type OpenTokens, refreshTokens } from './grant-requests.ts';

/*
 * The differences between renewing OAuth tokens and tokens for client credentials. Everything else is the same: when
 * tokens are renewed, by which process, and what happens if that fails.
 */

/**
 * Resolves a provider whose tokens are renewed. Null while its issuer is unreachable, and undefined if there's nothing
 * to renew.
 */
export const resolveRenewal = async (
  { catalogue, discover }: Pick<IntegrationsContext, 'catalogue' | 'discover'>,
  id: string,
): Promise<ResolvedProvider | null | undefined> => {
  const entry = catalogue.get(id);
  if (!entry) return undefined;
  if (isKeyBased(entry)) return usesClientCredentials(entry) ? toTokenProvider(entry) : undefined;
  return Promise.resolve(discover(entry)).catch(() => null);
};

type Holder = { teamId: string; provider: string; clientOf: Client['of'] };

/**
 * Opens the client that requests the tokens: an OAuth app, or the ID and secret that are stored as the refresh token.
 */
export const openRenewingClient = async (
  { clients }: Pick<IntegrationsContext, 'clients'>,
  { teamId, provider, clientOf }: Holder,
  resolved: ResolvedProvider | null,
  tokens: OpenTokens | null,
): Promise<Client | null> => {
  if (!resolved?.grant) return clients.open(teamId, provider, clientOf);
  return tokens?.refreshToken ? toEnteredClient(JSON.parse(tokens.refreshToken.reveal())) : null;
};

export const renewTokens = (
  context: AskContext,
  target: Target,
  spent: Parameters<typeof refreshTokens>[2],
): Promise<Granted> =>
  target.provider.grant ? requestClientToken(context, target) : refreshTokens(context, target, spent);
