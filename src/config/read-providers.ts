import {
  CatalogueRefused,
  loadCatalogue,
  type OperatorClient,
  type Provider,
  settingsOf,
} from '../integrations/index.ts';
import type { Config } from './config.ts';
import { ConfigRefused } from './config-refused.ts';

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

/** The catalog including the operator's own providers, and the operator's OAuth apps. Refuses unknown providers. */
export const readProviders = ({
  providersFile,
  production,
  clientIds,
  clientSecrets,
}: Pick<Config, 'providersFile' | 'production' | 'clientIds' | 'clientSecrets'>) => {
  const catalogue = load({ customFile: providersFile, production });
  const operatorClients = new Map<string, OperatorClient>();
  const known = new Set<string>();
  const problems: string[] = [];
  for (const provider of catalogue.values()) {
    const { id } = provider.record;
    const [idSetting, secretSetting] = settingsOf(id);
    known.add(idSetting).add(secretSetting);
    const clientId = clientIds[idSetting];
    const secret = clientSecrets[secretSetting] ?? null;
    if (!clientId && secret) problems.push(`${idSetting} must be set if ${secretSetting} is.`);
    if (clientId && !secret && needsSecret(provider)) problems.push(`${secretSetting} must be set if ${idSetting} is.`);
    if (clientId) operatorClients.set(id, { id: clientId, secret });
  }
  const unknown = Object.keys({ ...clientIds, ...clientSecrets }).filter((name) => !known.has(name));
  problems.push(
    ...unknown.map(
      (name) =>
        `${name} doesn't match any provider in the catalog (src/integrations/catalogue) or in PATCHBAY_PROVIDERS.`,
    ),
  );
  if (problems.length > 0) throw new ConfigRefused(problems);
  return { catalogue, operatorClients };
};
