import type { Secret } from '../../../platform/index.ts';
import { getOauthProvider } from '../../catalogue/catalogue.ts';
import { type Webhook, webhookUrlOf } from '../../catalogue/webhook/webhook.ts';
import type { IntegrationsContext } from '../../context.ts';
import type { SigningKey } from '../reading/check-signature.ts';
import { toSigningKey } from '../reading/signing-key.ts';

/** An address at which webhooks are received, with the keys that verify them. */
export type Receiver = {
  /** The ID of a team's address, or the provider for the operator's. */
  id: string;
  provider: string;
  webhook: Webhook;
  teamId: string | null;
  /** When an admin last opened a team's address. */
  openedAt: number | null;
  url: string;
  /** The keys for each of the entry's signatures. */
  keys: readonly (readonly SigningKey[])[];
  /** The IDs of a team's secrets, by their number. */
  secretIds: readonly string[];
};

/** The secrets that the operator has set for webhooks, by provider. */
export type WebhookSecrets = ReadonlyMap<string, readonly Secret[]>;

/** Makes the keys for each signature. A secret that isn't in a signature's format makes no key for it. */
export const toKeys = ({ signatures }: Webhook, secrets: readonly Secret[]): SigningKey[][] =>
  signatures.map((signature) =>
    secrets.flatMap((secret, number) => {
      const key = toSigningKey(signature, secret);
      return key ? [{ key, number }] : [];
    }),
  );

/** Creates the operator's receivers: one for each provider whose webhooks can be verified with what is set. */
export const createOperatorReceivers = (
  { catalogue, operatorClients, url }: IntegrationsContext,
  webhookSecrets: WebhookSecrets,
): ReadonlyMap<string, Receiver> => {
  const toReceiver = (id: string): [string, Receiver][] => {
    const webhook = getOauthProvider(catalogue, id)?.record.webhook;
    if (!webhook?.operator) return [];
    const ofClient = webhook.secretOf === 'client' ? (operatorClients.get(id)?.secret ?? null) : null;
    const secrets = [...(webhookSecrets.get(id) ?? []), ...(ofClient ? [ofClient] : [])];
    if (secrets.length === 0) return [];
    const shared = { id, provider: id, webhook, teamId: null, openedAt: null, secretIds: [] };
    return [[id, { ...shared, url: webhookUrlOf(url, id), keys: toKeys(webhook, secrets) }]];
  };
  return new Map([...new Set([...operatorClients.keys(), ...webhookSecrets.keys()])].flatMap(toReceiver));
};
