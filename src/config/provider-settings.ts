import {
  CatalogueRefused,
  loadCatalogue,
  type OperatorClient,
  type Provider,
  settingsOf,
} from '../integrations/index.ts';
import { Secret } from '../platform/index.ts';
import { ConfigRefused } from './config-refused.ts';

const CLIENT_SETTING = /^OAUTH_[A-Z0-9_]+_CLIENT_(?:ID|SECRET)$/;

type ClientSettings = Readonly<Record<string, Secret>>;

/** Every `OAUTH_<PROVIDER>_CLIENT_ID` and `…_SECRET` that is set. Which provider each is of is known with the catalogue. */
export const readClientSettings = (values: Readonly<Record<string, string | undefined>>): ClientSettings =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      CLIENT_SETTING.test(name) && value?.trim() ? [[name, new Secret(value.trim())]] : [],
    ),
  );

const load = (settings: Parameters<typeof loadCatalogue>[0]): Map<string, Provider> => {
  try {
    return loadCatalogue(settings);
  } catch (error) {
    if (error instanceof CatalogueRefused)
      throw new ConfigRefused(error.lines.map((line) => (settings.customFile ? `PATCHBAY_PROVIDERS: ${line}` : line)));
    throw error;
  }
};

const needsSecret = ({ record }: Provider): boolean => !('token' in record && record.token.auth === 'none');

/** The catalogue with the operator's own providers, and the operator's clients. Refuses settings that name no provider. */
export const readProviders = ({
  providersFile,
  production,
  clientSettings,
}: {
  providersFile: string | null;
  production: boolean;
  clientSettings: ClientSettings;
}) => {
  const catalogue = load({ customFile: providersFile, production });
  const operatorClients = new Map<string, OperatorClient>();
  const known = new Set<string>();
  const problems: string[] = [];
  for (const provider of catalogue.values()) {
    const { id } = provider.record;
    const [idSetting, secretSetting] = settingsOf(id);
    known.add(idSetting).add(secretSetting);
    const clientId = clientSettings[idSetting];
    const secret = clientSettings[secretSetting] ?? null;
    if (!clientId && secret) problems.push(`${idSetting} must be set if ${secretSetting} is.`);
    if (clientId && !secret && needsSecret(provider)) problems.push(`${secretSetting} must be set if ${idSetting} is.`);
    if (clientId) operatorClients.set(id, { id: clientId.reveal(), secret });
  }
  const unknown = Object.keys(clientSettings).filter((name) => !known.has(name));
  problems.push(
    ...unknown.map(
      (name) => `${name} names no provider in the catalog (src/integrations/catalogue) or in PATCHBAY_PROVIDERS.`,
    ),
  );
  if (problems.length > 0) throw new ConfigRefused(problems);
  return { catalogue, operatorClients };
};
