import {
  CatalogueRefused,
  findScopesFlaw,
  isKeyBased,
  isSettingOf,
  loadCatalogue,
  type OauthProvider,
  type OperatorClient,
  type Provider,
  parseScopes,
  scopesSettingOf,
  settingsOf,
  webhookSettingOf,
} from '../integrations/index.ts';
import type { Secret } from '../platform/index.ts';
import type { Config } from './config.ts';
import { ConfigRefused } from './config-refused.ts';
import { findNearestName } from './find-unknown-names.ts';
import { type ClientSettings, listClientSettings, readOperatorClient } from './read-operator-client.ts';

const load = (settings: Parameters<typeof loadCatalogue>[0]): Map<string, Provider> => {
  try {
    return loadCatalogue(settings);
  } catch (error) {
    if (error instanceof CatalogueRefused)
      throw new ConfigRefused(error.lines.map((line) => (settings.customFile ? `PATCHBAY_PROVIDERS: ${line}` : line)));
    throw error;
  }
};

const sayNearest = (name: string, known: Iterable<string>): string => {
  const nearest = findNearestName(name, known);
  return nearest === null ? '' : ` Did you mean ${nearest}?`;
};

/**
 * Returns the provider with the scopes that the operator has set for it, or a text that says why they can't be used.
 */
const withScopes = (provider: OauthProvider, setting: string, text: string | undefined): OauthProvider | string => {
  if (text === undefined) return provider;
  const scopes = parseScopes(text);
  const flaw = findScopesFlaw(scopes);
  if (flaw) return `${setting} ${flaw}, separated by spaces.`;
  return { ...provider, record: { ...provider.record, scopes } };
};

/** Says why a provider's webhooks can't be verified with the secrets that are set. Null if they can. */
const findWebhookProblem = ({ record }: OauthProvider, hasClient: boolean): string | null => {
  const setting = webhookSettingOf(record.id);
  if (!record.webhook?.operator)
    return `${setting} is set, but the entry of this provider has no webhooks that the operator receives.`;
  return hasClient ? null : `${settingsOf(record.id)[0]} must be set if ${setting} is.`;
};

/** Lists the names of all settings that a provider can have. */
const listSettings = ({ record }: OauthProvider): string[] => [
  ...listClientSettings(record),
  webhookSettingOf(record.id),
  scopesSettingOf(record.id),
];

type ProviderSettings = ClientSettings &
  Pick<Config, 'providersFile' | 'production' | 'defaultScopes' | 'webhookSecrets' | 'unknownNames'>;

/**
 * Reads the catalog, including the operator's own providers and the sandbox, and the operator's OAuth apps. Refuses
 * settings of unknown providers.
 */
export const readProviders = (settings: ProviderSettings, sandbox: OauthProvider | null = null) => {
  const { providersFile, production, defaultScopes, webhookSecrets, unknownNames } = settings;
  const catalogue = load({ customFile: providersFile, production });
  const operatorClients = new Map<string, OperatorClient>();
  const secretsOfWebhooks = new Map<string, readonly Secret[]>();
  const problems: string[] = [];
  const { clientIds, clientSecrets, privateKeys, keyIds, clientFields } = settings;
  const named = { ...clientIds, ...clientSecrets, ...privateKeys, ...keyIds, ...defaultScopes, ...webhookSecrets };
  const names = [...Object.keys({ ...named, ...clientFields }), ...unknownNames];
  // Providers that use API keys have no OAuth app and no scopes.
  const oauthProviders = [...catalogue.values()].flatMap((provider) => (isKeyBased(provider) ? [] : [provider]));
  // Most providers have no setting at all.
  const withSettings = oauthProviders.filter(({ record }) => names.some((name) => isSettingOf(record.id, name)));
  for (const provider of withSettings) {
    const { id } = provider.record;
    const { client, problems: ofClient } = readOperatorClient(provider, settings);
    problems.push(...ofClient);
    if (client) operatorClients.set(id, client);
    const webhookSetting = webhookSettingOf(id);
    const secrets = webhookSecrets[webhookSetting];
    const problem = secrets && findWebhookProblem(provider, client !== null);
    if (problem) problems.push(problem);
    if (secrets) secretsOfWebhooks.set(id, secrets);
  }
  for (const provider of [...withSettings, ...(sandbox ? [sandbox] : [])]) {
    const setting = scopesSettingOf(provider.record.id);
    const result = withScopes(provider, setting, defaultScopes[setting]);
    if (typeof result === 'string') problems.push(result);
    else catalogue.set(provider.record.id, result);
  }
  const ofSandbox = sandbox ? [scopesSettingOf(sandbox.record.id)] : [];
  const known = new Set([...withSettings.flatMap(listSettings), ...ofSandbox]);
  const listAll = (): string[] => [...oauthProviders.flatMap(listSettings), ...ofSandbox];
  const unknown = Object.keys(named).filter((name) => !known.has(name));
  problems.push(
    ...unknown.map(
      (name) =>
        `${name} doesn't match any provider in the catalog (src/integrations/catalogue) or in PATCHBAY_PROVIDERS.${sayNearest(name, listAll())}`,
    ),
  );
  if (problems.length > 0) throw new ConfigRefused(problems);
  /** Settings that don't exist, and which ones were probably meant. */
  const unknownSettings = unknownNames
    .filter((name) => !known.has(name))
    .map((name) => ({ name, didYouMean: findNearestName(name, listAll()) }));
  return { catalogue, operatorClients, webhookSecrets: secretsOfWebhooks, unknownSettings };
};
