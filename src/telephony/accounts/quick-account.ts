import { Refusal } from '../../platform/index.ts';
import { COMMAND_LINE } from '../../teams/index.ts';
import { PROVIDERS } from '../providers/index.ts';
import { getAccount, listAccountNames } from './account-store.ts';
import { openAccount } from './open-account.ts';
import {
  type AccountDependencies,
  changeAccount,
  checkAccount,
  createAccount,
  findTelephonyProvider,
  MOST_SECRETS,
} from './put-account.ts';

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

/** What's wrong with the settings, one line each. */
export const checkQuickAccount = (
  { provider, accountId, secret, api }: QuickAccount,
  production: boolean,
): string[] => {
  try {
    checkAccount({ production }, findTelephonyProvider(PROVIDERS, provider), { accountId, secrets: [secret], api });
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return (error.errors ?? []).map(({ path, message }) => `${settingOf(path)} ${message}.`);
  }
};

/**
 * Creates the account or updates it. An earlier secret stays valid until an admin removes it or ten newer ones replace
 * it.
 */
export const ensureQuickAccount = async (
  dependencies: AccountDependencies,
  teamId: string,
  { provider, accountId, secret, api }: QuickAccount,
): Promise<void> => {
  const { database, vault } = dependencies;
  const names = await listAccountNames(database, teamId);
  const named = names.find((candidate) => candidate.provider === provider && candidate.accountId === accountId);
  const row = named && (await getAccount(database, teamId, named.id));
  if (!row) {
    const wish = { provider, accountId, secrets: [secret], api, mode: 'enforce', removesArchived: false } as const;
    await createAccount(dependencies, teamId, COMMAND_LINE, wish);
    return;
  }
  const known = await openAccount(vault, row);
  const isKnown = known.secrets.some(({ value }) => value === secret);
  const hasApi = Object.entries(api).every(([name, value]) => known.api[name] === value);
  if (isKnown && hasApi) return;
  await changeAccount(dependencies, teamId, COMMAND_LINE, row.id, {
    ...(isKnown ? {} : { secrets: [secret, ...known.secrets.map(({ value }) => value)].slice(0, MOST_SECRETS) }),
    ...(hasApi ? {} : { api: { ...known.api, ...api } }),
  });
};
