import { Refusal } from '../../platform/index.ts';
import { COMMAND_LINE } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import { PROVIDERS } from '../providers/index.ts';
import { listAccountNames } from './account-store.ts';
import { checkAccount, findTelephonyProvider, MOST_SECRETS } from './account-wish.ts';
import { changeAccount, createAccount, findAccount } from './accounts.ts';

/** The first team's account, as configured by the operator. */
export type QuickAccount = {
  provider: string;
  accountId: string | null;
  secret: string;
  api: Readonly<Record<string, string>>;
};

const SETTINGS: Readonly<Record<string, string>> = {
  provider: 'TELEPHONY_PROVIDER',
  accountId: 'TELEPHONY_ACCOUNT_ID',
  'secrets.0': 'TELEPHONY_SECRET',
};

const settingOf = (path: string): string =>
  SETTINGS[path] ??
  path
    .replace(/^api\./, 'TELEPHONY_API_')
    .replace(/(?<=API_)\w+$/, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());

/** Lists what's wrong with the settings, one line each. */
export const checkQuickAccount = (
  { provider, accountId, secret, api }: QuickAccount,
  production: boolean,
): string[] => {
  try {
    checkAccount(findTelephonyProvider(PROVIDERS, provider), { accountId, secrets: [secret], api }, production);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return (error.errors ?? []).map(({ path, message }) => `${settingOf(path)} ${message}.`);
  }
};

/**
 * Creates or updates the account. An earlier secret stays valid until an admin removes it or ten newer ones replace it.
 */
export const ensureQuickAccount = async (
  context: TelephonyContext,
  teamId: string,
  { provider, accountId, secret, api }: QuickAccount,
): Promise<void> => {
  const names = await listAccountNames(context.database, teamId);
  const named = names.find((candidate) => candidate.provider === provider && candidate.accountId === accountId);
  if (!named) {
    await createAccount(context, teamId, COMMAND_LINE, { provider, accountId, secrets: [secret], api });
    return;
  }
  const known = await findAccount(context, teamId, named.id);
  const isKnown = known.secrets.some(({ value }) => value === secret);
  const hasApi = Object.entries(api).every(([name, value]) => known.api[name] === value);
  if (isKnown && hasApi) return;
  await changeAccount(context, teamId, COMMAND_LINE, known.id, {
    ...(isKnown ? {} : { secrets: [secret, ...known.secrets.map(({ value }) => value)].slice(0, MOST_SECRETS) }),
    ...(hasApi ? {} : { api: { ...known.api, ...api } }),
  });
};
