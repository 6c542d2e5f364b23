import {
  fieldSettingOf,
  KeyUnusable,
  keySettingsOf,
  neededSettingsOf,
  type OauthProvider,
  type OperatorClient,
  readClientKey,
  settingsOf,
  usesPrivateKey,
} from '../integrations/index.ts';
import type { Config } from './config.ts';

export type ClientSettings = Pick<Config, 'clientIds' | 'clientSecrets' | 'privateKeys' | 'keyIds' | 'clientFields'>;

const needsSecret = ({ record }: OauthProvider): boolean => !('token' in record && record.token.auth === 'none');

/** Lists the names of all settings that a provider's OAuth app can have. */
export const listClientSettings = (record: OauthProvider['record']): string[] => [
  ...new Set([...settingsOf(record.id), ...keySettingsOf(record.id), ...neededSettingsOf(record)]),
];

/**
 * Reads the further fields that a provider's app needs. If one is missing, the provider isn't configured, but existing
 * connections continue to work.
 */
const readFields = ({ id, clientFields = {} }: OauthProvider['record'], given: ClientSettings['clientFields']) =>
  Object.fromEntries(
    Object.keys(clientFields).flatMap((name) => {
      const value = given[fieldSettingOf(id, name)];
      return value ? [[name, value] as const] : [];
    }),
  );

/** Returns the operator's OAuth app at a provider, or null if none is set, and the problems with its settings. */
export const readOperatorClient = (
  provider: OauthProvider,
  { clientIds, clientSecrets, privateKeys, keyIds, clientFields }: ClientSettings,
): { client: OperatorClient | null; problems: string[] } => {
  const { record } = provider;
  const [idSetting, secretSetting] = settingsOf(record.id);
  const [keySetting, keyIdSetting] = keySettingsOf(record.id);
  const id = clientIds[idSetting];
  const secret = clientSecrets[secretSetting] ?? null;
  const text = privateKeys[keySetting];
  const keyId = keyIds[keyIdSetting];
  const uses = usesPrivateKey(record);
  const problems: string[] = [];
  const mustBeSet = (setting: string, given: string): void => {
    problems.push(`${setting} must be set if ${given} is.`);
  };
  if (!id && secret) mustBeSet(idSetting, secretSetting);
  if (!id && text) mustBeSet(idSetting, keySetting);
  if (keyId && !text) mustBeSet(keySetting, keyIdSetting);
  if (id && !text && uses === 'always')
    problems.push(`${keySetting} must be set if ${idSetting} is, because this provider takes no client secret.`);
  if (id && !text && !secret && uses !== 'always' && needsSecret(provider)) mustBeSet(secretSetting, idSetting);
  if (text && secret) problems.push(`${keySetting} is used instead of ${secretSetting}. Set one of them.`);
  if (text && uses === 'never')
    problems.push(
      `${keySetting} is set, but the entry of this provider says that clients authenticate otherwise (token.auth). Set ${secretSetting} instead.`,
    );
  const fields = readFields(record, clientFields);
  const more = record.clientFields ? { fields } : {};
  const [first] = Object.keys(fields);
  if (!id && first) mustBeSet(idSetting, fieldSettingOf(record.id, first));
  if (!text || problems.length > 0) return { client: id ? { id, secret, ...more } : null, problems };
  try {
    const key = readClientKey(text.reveal(), { keyId: keyId ?? null, accepted: record.assertion?.algorithms });
    return { client: id ? { id, secret: null, key, ...more } : null, problems };
  } catch (error) {
    if (!(error instanceof KeyUnusable)) throw error;
    return { client: null, problems: [`${keySetting} ${error.message}`] };
  }
};
