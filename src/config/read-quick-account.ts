import { checkQuickAccount, type QuickAccount } from '../telephony/index.ts';
import type { Config } from './config.ts';
import { ConfigRefused } from './config-refused.ts';

/** Reads the telephony account in the settings. Null if there is none. */
export const readQuickAccount = (config: Config): QuickAccount | null => {
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
