import type { OperatorClient } from './client.ts';
import type { OauthRecord } from './provider.ts';

const prefixOf = (provider: string): string => `OAUTH_${provider.toUpperCase().replaceAll('-', '_')}`;

/** Whether a setting's name begins with this provider's ID. It may belong to another one whose ID is longer. */
export const isSettingOf = (provider: string, setting: string): boolean => setting.startsWith(`${prefixOf(provider)}_`);

/** The names of the settings that hold a provider's client: `OAUTH_<PROVIDER>_CLIENT_ID` and `…_SECRET`. */
export const settingsOf = (provider: string): [string, string] => {
  const prefix = prefixOf(provider);
  return [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`];
};

/** The names of the settings for a client that authenticates with a private key. The second setting is optional. */
export const keySettingsOf = (provider: string): [string, string] => {
  const prefix = prefixOf(provider);
  return [`${prefix}_PRIVATE_KEY`, `${prefix}_KEY_ID`];
};

/** Whether a client has a private key instead of a secret. If an entry names only its issuer, the issuer decides. */
export const usesPrivateKey = (record: OauthRecord): 'always' | 'never' | 'possibly' => {
  if (!('token' in record)) return 'possibly';
  return record.token.auth === 'private_key_jwt' ? 'always' : 'never';
};

/** The setting for one of an entry's `clientFields`. */
export const fieldSettingOf = (provider: string, field: string): string =>
  `${prefixOf(provider)}_${field.toUpperCase()}`;

/** The settings that the operator needs for a provider to be connected. */
export const neededSettingsOf = (record: OauthRecord): string[] => {
  const [id, secret] = settingsOf(record.id);
  const fields = Object.keys(record.clientFields ?? {}).map((name) => fieldSettingOf(record.id, name));
  return [id, usesPrivateKey(record) === 'always' ? keySettingsOf(record.id)[0] : secret, ...fields];
};

/** The settings of the entry's `clientFields` that this client lacks. */
export const lackedSettingsOf = (
  { id, clientFields = {} }: OauthRecord,
  { fields = {} }: Pick<OperatorClient, 'fields'>,
): string[] =>
  Object.keys(clientFields)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => fieldSettingOf(id, name));

/** The name of the setting that holds a provider's default scopes. */
export const scopesSettingOf = (provider: string): string => `${prefixOf(provider)}_SCOPES`;

/** The name of the setting that holds the secrets which verify a provider's webhooks. */
export const webhookSettingOf = (provider: string): string => `${prefixOf(provider)}_WEBHOOK_SECRET`;
