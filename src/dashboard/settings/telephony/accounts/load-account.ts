import { notFound } from '../../../../http/index.ts';
import { FIRST_PAGE, type PageQuery } from '../../../../platform/index.ts';
import type { ProviderInfo, SetupTest } from '../../../../telephony/index.ts';
import type { DashboardContext } from '../../../context.ts';
import type { Person } from '../../../person.ts';

export const findProviderInfo = ({ telephony }: DashboardContext, id: string): ProviderInfo => {
  const provider = telephony.providers.find((candidate) => candidate.id === id);
  if (!provider) throw notFound();
  return provider;
};

export const loadAccount = async (
  context: DashboardContext,
  { team }: Person,
  id: string,
  query: PageQuery = FIRST_PAGE,
) => {
  const account = await context.telephony.accounts.get(team.id, id);
  const numbers = await context.telephony.numbers.list(team.id, query, id);
  return {
    account,
    provider: findProviderInfo(context, account.provider),
    numbers,
    cursor: query.cursor,
    url: context.url,
  };
};

export type AccountPageView = Awaited<ReturnType<typeof loadAccount>> & {
  test?: SetupTest;
  /** The entered account ID, if the form was refused. */
  accountId?: string | undefined;
  /** The name of the form that was refused. */
  refused?: string;
};
