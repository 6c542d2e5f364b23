import { Secret } from '../platform/index.ts';

const CLIENT = /^OAUTH_[A-Z0-9_]+_CLIENT_(ID|SECRET)$/;
const KEY = /^OAUTH_[A-Z0-9_]+_(PRIVATE_KEY|KEY_ID)$/;
const SCOPES = /^OAUTH_[A-Z0-9_]+_SCOPES$/;
const WEBHOOK = /^OAUTH_[A-Z0-9_]+_WEBHOOK_SECRET$/;
/** A name with this prefix that fits no other pattern is one of a catalog entry's `clientFields`, or is misspelled. */
const OF_PROVIDER = /^OAUTH_[A-Z0-9_]+$/;
const TELEPHONY_API = /^TELEPHONY_API_([A-Z][A-Z_]*)$/;

export const isOpenSetting = (name: string): boolean =>
  [CLIENT, KEY, SCOPES, WEBHOOK, TELEPHONY_API].some((pattern) => pattern.test(name));

/** Turns the end of a setting's name into a field: `KEY_SID`, from `TELEPHONY_API_KEY_SID`, becomes `keySid`. */
const toField = (name: string): string =>
  name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Splits a comma-separated list. During a rotation, several secrets are valid. */
const toSecrets = (list: string): Secret[] =>
  list
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
    .map((secret) => new Secret(secret));

/**
 * Reads settings whose names depend on providers: every `OAUTH_<PROVIDER>_CLIENT_ID`, `…_CLIENT_SECRET`,
 * `…_PRIVATE_KEY`, `…_KEY_ID`, `…_SCOPES` and `…_WEBHOOK_SECRET`, other settings that catalog entries name, and every
 * `TELEPHONY_API_*`. They are checked later, once the providers are known.
 */
export const readOpenSettings = (values: Readonly<Record<string, string | undefined>>) => {
  const clientIds: Record<string, string> = {};
  const clientSecrets: Record<string, Secret> = {};
  const privateKeys: Record<string, Secret> = {};
  const keyIds: Record<string, string> = {};
  const defaultScopes: Record<string, string> = {};
  const webhookSecrets: Record<string, readonly Secret[]> = {};
  const clientFields: Record<string, Secret> = {};
  const telephonyApi: Record<string, Secret> = {};
  for (const [name, text = ''] of Object.entries(values)) {
    const value = text.trim();
    if (value === '') continue;
    const kind = CLIENT.exec(name)?.[1];
    if (kind === 'ID') clientIds[name] = value;
    if (kind === 'SECRET') clientSecrets[name] = new Secret(value);
    const ofKey = KEY.exec(name)?.[1];
    if (ofKey === 'PRIVATE_KEY') privateKeys[name] = new Secret(value);
    if (ofKey === 'KEY_ID') keyIds[name] = value;
    if (SCOPES.test(name)) defaultScopes[name] = value;
    if (WEBHOOK.test(name)) webhookSecrets[name] = toSecrets(value);
    if (OF_PROVIDER.test(name) && !isOpenSetting(name)) clientFields[name] = new Secret(value);
    const field = TELEPHONY_API.exec(name)?.[1];
    if (field) telephonyApi[toField(field)] = new Secret(value);
  }
  const ofClients = { clientIds, clientSecrets, privateKeys, keyIds, clientFields };
  return { ...ofClients, defaultScopes, webhookSecrets, telephonyApi };
};
