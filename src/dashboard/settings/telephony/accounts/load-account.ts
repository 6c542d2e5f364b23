import { notFound } from '../../../../http/index.ts';
import { FIRST_PAGE, type ListPage, type PageQuery } from '../../../../platform/index.ts';
import type { AccountAnswer, NumberAnswer, ProviderInfo, SetupTest } from '../../../../telephony/index.ts';
import type { DashboardDependencies } from '../../../dependencies.ts';
import type { Person } from '../../../person.ts';

export type AccountView = {
  account: AccountAnswer;
  provider: ProviderInfo;
  numbers: ListPage<NumberAnswer>;
  cursor: string | undefined;
  /** The public base URL. */
  url: string;
  test?: SetupTest;
};

export type AccountDependencies = Pick<DashboardDependencies, 'database' | 'telephony' | 'url'>;

export const findProvider = ({ telephony }: AccountDependencies, id: string): ProviderInfo => {
  const provider = telephony.settings.providers.find((candidate) => candidate.id === id);
  if (!provider) throw notFound();
  return provider;
};

export const loadAccount = async (
  dependencies: AccountDependencies,
  { team }: Person,
  id: string,
  query: PageQuery = FIRST_PAGE,
): Promise<AccountView> => {
  const { settings } = dependencies.telephony;
  const account = await settings.getAccount(team.id, id);
  const numbers = await settings.listNumbers(team.id, id, query);
  const { cursor } = query;
  return { account, cursor, provider: findProvider(dependencies, account.provider), numbers, url: dependencies.url };
};
