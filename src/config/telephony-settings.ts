import { Secret } from '../platform/index.ts';
import { checkQuickAccount, type QuickAccount } from '../telephony/index.ts';
import { ConfigRefused } from './config-refused.ts';

const API_SETTING = /^TELEPHONY_API_([A-Z][A-Z_]*)$/;

/** `TELEPHONY_API_KEY_SID` is the field `keySid`. */
const toField = (name: string): string =>
  name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Every `TELEPHONY_API_*` that is set. Which of them a provider knows is known with the provider. */
export const readTelephonyApi = (
  values: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, Secret>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const field = API_SETTING.exec(name)?.[1];
      return field && value?.trim() ? [[toField(field), new Secret(value.trim())]] : [];
    }),
  );

/** The account that the settings ask for; null where they ask for none. */
export const readQuickAccount = (config: {
  telephonyProvider: string | null;
  telephonyAccountId: string | null;
  telephonySecret: Secret | null;
  telephonyApi: Readonly<Record<string, Secret>>;
  production: boolean;
}): QuickAccount | null => {
  const { telephonyProvider: provider, telephonyAccountId: accountId, telephonySecret: secret, telephonyApi } = config;
  if (provider === null && accountId === null && secret === null && Object.keys(telephonyApi).length === 0) return null;
  if (provider === null || secret === null)
    throw new ConfigRefused(['TELEPHONY_PROVIDER and TELEPHONY_SECRET must be set together.']);
  const api = Object.fromEntries(Object.entries(telephonyApi).map(([name, value]) => [name, value.reveal()]));
  const account = { provider, accountId, secret: secret.reveal(), api };
  const problems = checkQuickAccount(account, config.production);
  if (problems.length > 0) throw new ConfigRefused(problems);
  return account;
};
