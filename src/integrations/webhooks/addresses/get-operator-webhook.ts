import { getFirstTeamId } from '../../../teams/index.ts';
import { getOauthProvider } from '../../catalogue/catalogue.ts';
import type { IntegrationsContext } from '../../context.ts';
import type { OperatorSighting, OperatorSightings } from './operator-sightings.ts';

/** What the operator is told about their address for a provider's webhooks. Nothing of a secret. */
export type OperatorWebhook = OperatorSighting & {
  /** Where the secret is. Null if there is none, so that nothing is accepted. */
  secretIn: 'setting' | 'client' | null;
};

type OperatorContext = Pick<IntegrationsContext, 'database' | 'catalogue' | 'operatorClients'> & {
  operatorSightings: OperatorSightings;
  /** The providers for which `OAUTH_<PROVIDER>_WEBHOOK_SECRET` is set. */
  webhookSecrets: ReadonlyMap<string, unknown>;
};

/**
 * Describes the operator's address for a provider's webhooks. Null if there is none, or for any team but the first, which
 * is the operator's: others share the OAuth app, but how it's set up is none of their business.
 */
export const getOperatorWebhook = async (
  { database, catalogue, operatorClients, operatorSightings, webhookSecrets }: OperatorContext,
  teamId: string,
  provider: string,
): Promise<OperatorWebhook | null> => {
  const webhook = getOauthProvider(catalogue, provider)?.record.webhook;
  if (!webhook?.operator || teamId !== (await getFirstTeamId(database))) return null;
  const ofClient = webhook.secretOf === 'client' && operatorClients.get(provider)?.secret;
  const secretIn = webhookSecrets.has(provider) ? 'setting' : ofClient ? 'client' : null;
  return { ...operatorSightings.find(provider), secretIn };
};
