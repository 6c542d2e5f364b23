import { digestOf, randomSecret, Secret, type Transaction } from '../../../platform/index.ts';
import { type AuditActor, lockAdmin, recordAudit } from '../../../teams/index.ts';
import type { SealedColumn, Vault } from '../../../vault/index.ts';
import { findProvider } from '../../catalogue/catalogue.ts';
import type { Webhook } from '../../catalogue/webhook/webhook.ts';
import type { IntegrationsContext } from '../../context.ts';
import {
  noWebhookAddress,
  webhookNotReceived,
  webhookOnlyOperator,
  webhookSecretInvalid,
  webhookSecretShort,
  webhookSecretsFull,
  webhookSecretUnknown,
} from '../errors.ts';
import { toSigningKey } from '../reading/signing-key.ts';
import {
  deleteAddress,
  deleteSecret,
  getAddress,
  insertSecret,
  listSecrets,
  openAddress,
  replaceAddress,
  type WebhookAddress,
  type WebhookSecret,
} from './address-store.ts';

export const MOST_WEBHOOK_SECRETS = 5;
/** Shorter than any secret that a provider makes. A person who chooses a shorter one chooses one that can be guessed. */
const LEAST_SECRET_CHARACTERS = 8;

const addressPlace = (id: string) => ({ record: `webhook_addresses/${id}`, field: 'address' });
export const secretPlace = (id: string) => ({ record: `webhook_secrets/${id}`, field: 'secret' });

export const SEALED_WEBHOOKS: readonly SealedColumn[] = [
  { table: 'webhook_addresses', column: 'address', placedBy: ['id'], placesOf: (id = '') => [addressPlace(id)] },
  { table: 'webhook_secrets', column: 'secret', placedBy: ['id'], placesOf: (id = '') => [secretPlace(id)] },
];

/** An address as it's shown to those who may see it. */
export type ShownAddress = WebhookAddress & { url: string; secrets: readonly WebhookSecret[] };

type Whose = { teamId: string; provider: string };

/** How a provider sends webhooks to an address of a team's own. Throws if it doesn't. */
export const findTeamWebhook = ({ catalogue }: Pick<IntegrationsContext, 'catalogue'>, provider: string): Webhook => {
  const { webhook } = findProvider(catalogue, provider).record;
  if (!webhook) throw webhookNotReceived();
  if (!webhook.team) throw webhookOnlyOperator();
  return webhook;
};

const sealNew = async (vault: Vault, teamId: string, id: string, tx: Transaction) => {
  const address = randomSecret();
  return { digest: digestOf(address), address: await vault.seal(teamId, addressPlace(id), new Secret(address), tx) };
};

const show = async (
  { database, vault, url }: IntegrationsContext,
  { teamId, provider }: Whose,
): Promise<ShownAddress> => {
  const found = await getAddress(database, teamId, provider);
  if (!found) throw noWebhookAddress();
  const address = (await vault.open(teamId, addressPlace(found.id), found.address)).reveal();
  const secrets = await listSecrets(database, teamId, found.id);
  return { ...found, url: `${url}/api/webhooks/integrations/${provider}/${address}`, secrets };
};

/** How a team receives a provider's webhooks at an address of its own. */
export type WebhookSetUp = {
  about: string;
  test: string | null;
  /** Whether anything shows who has sent a message. */
  isVerified: boolean;
  /** Whether the provider sends its secret by itself. */
  bringsSecret: boolean;
  /** Whether the provider sends a signed message just to check the address, often when it's added there. */
  checksAddress: boolean;
  address: ShownAddress | null;
};

/** Describes how a team receives a provider's webhooks. Null if it can't. */
export const getWebhookSetUp = async (
  context: IntegrationsContext,
  { teamId, provider }: Whose,
): Promise<WebhookSetUp | null> => {
  const webhook = context.catalogue.get(provider)?.record.webhook;
  if (!webhook?.team) return null;
  const address = (await getAddress(context.database, teamId, provider)) && (await show(context, { teamId, provider }));
  return {
    about: webhook.team.about,
    test: webhook.test ?? null,
    isVerified: webhook.signatures.length > 0,
    bringsSecret: webhook.handshakes?.some(({ secret }) => secret !== undefined) ?? false,
    checksAddress: webhook.quiet !== undefined || (webhook.handshakes?.some(({ signed }) => signed === true) ?? false),
    address: address ?? null,
  };
};

/** Shows a team's address for a provider's webhooks, with what was last seen there. */
export const showAddress = (context: IntegrationsContext, whose: Whose): Promise<ShownAddress> => {
  findTeamWebhook(context, whose.provider);
  return show(context, whose);
};

/** Adds a secret to an address that is locked. The same secret isn't added twice. */
export const addSecret = async (
  { vault, newId, clock }: Pick<IntegrationsContext, 'vault' | 'newId' | 'clock'>,
  tx: Transaction,
  address: Pick<WebhookAddress, 'teamId' | 'id'>,
  secret: Secret,
): Promise<boolean> => {
  const { teamId } = address;
  const known = await listSecrets(tx, teamId, address.id);
  for (const one of known)
    if ((await vault.open(teamId, secretPlace(one.id), one.secret, tx)).reveal() === secret.reveal()) return false;
  if (known.length >= MOST_WEBHOOK_SECRETS) throw webhookSecretsFull(MOST_WEBHOOK_SECRETS);
  const id = newId();
  const sealed = await vault.seal(teamId, secretPlace(id), secret, tx);
  await insertSecret(tx, address, { id, secret: sealed, addedAt: clock.now() });
  return true;
};

/** Makes the address if there is none, and adds the secret if there is one. */
export const putAddress = async (
  context: IntegrationsContext,
  { teamId, provider }: Whose,
  secret: Secret | null,
  actor: AuditActor,
): Promise<ShownAddress> => {
  const { database, vault, newId, clock, forgetWebhooks } = context;
  const { signatures } = findTeamWebhook(context, provider);
  const isUsable = secret === null || signatures.some((signature) => toSigningKey(signature, secret) !== null);
  if (!isUsable) throw webhookSecretInvalid();
  if (secret && secret.reveal().trim().length < LEAST_SECRET_CHARACTERS)
    throw webhookSecretShort(LEAST_SECRET_CHARACTERS);
  await database.transaction(async (tx) => {
    await lockAdmin(tx, teamId, actor);
    const id = newId();
    const made = await openAddress(tx, {
      ...{ id, teamId, provider, createdAt: clock.now() },
      ...(await sealNew(vault, teamId, id, tx)),
    });
    const address = await getAddress(tx, teamId, provider, 'for update');
    if (!address) throw noWebhookAddress();
    const added = secret !== null && (await addSecret(context, tx, address, secret));
    if (made) await recordAudit(context, tx, teamId, actor, { action: 'integration.webhook.put', target: provider });
    if (added)
      await recordAudit(context, tx, teamId, actor, { action: 'integration.webhook.secret', target: provider });
    tx.afterCommit(forgetWebhooks);
  });
  return show(context, { teamId, provider });
};

type Change = (tx: Transaction, address: WebhookAddress) => Promise<void>;

const change = async (
  context: IntegrationsContext,
  { teamId, provider }: Whose,
  { action, actor, make }: { action: string; actor: AuditActor; make: Change },
): Promise<void> => {
  findProvider(context.catalogue, provider);
  await context.database.transaction(async (tx) => {
    await lockAdmin(tx, teamId, actor);
    const address = await getAddress(tx, teamId, provider, 'for update');
    if (!address) throw noWebhookAddress();
    await make(tx, address);
    await recordAudit(context, tx, teamId, actor, { action, target: provider });
    tx.afterCommit(context.forgetWebhooks);
  });
};

export const removeSecret = (
  context: IntegrationsContext,
  whose: Whose,
  secretId: string,
  actor: AuditActor,
): Promise<void> =>
  change(context, whose, {
    action: 'integration.webhook.secret_removed',
    actor,
    async make(tx, { teamId, id }) {
      if ((await deleteSecret(tx, teamId, id, secretId)) === 0) throw webhookSecretUnknown();
    },
  });

/** Makes a new address instead of the old one, at which nothing is received from now on. The secrets stay. */
export const rotateAddress = async (
  context: IntegrationsContext,
  whose: Whose,
  actor: AuditActor,
): Promise<ShownAddress> => {
  await change(context, whose, {
    action: 'integration.webhook.rotated',
    actor,
    async make(tx, { teamId, id }) {
      const sealed = await sealNew(context.vault, teamId, id, tx);
      await replaceAddress(tx, { id, teamId, ...sealed, openedAt: context.clock.now() });
    },
  });
  return show(context, whose);
};

export const removeAddress = (context: IntegrationsContext, whose: Whose, actor: AuditActor): Promise<void> =>
  change(context, whose, {
    action: 'integration.webhook.removed',
    actor,
    async make(tx, { teamId, id }) {
      await deleteAddress(tx, teamId, id);
    },
  });
