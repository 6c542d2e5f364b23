import { PageQuery, Type } from '../../../platform/index.ts';
import type { PageRoutes } from '../../pages.ts';
import { overviewPage } from './overview-page.ts';

/** The page has two lists, numbers and accounts, each with its own cursor. */
const OverviewQuery = Type.Object({ ...PageQuery.properties, accounts: PageQuery.properties.cursor });

const done = {
  account_removed: 'Account removed. Remove its webhook URLs at the provider too.',
  number_removed: 'Number removed.',
};

export const overviewRoutes: PageRoutes = ({ page }, { telephony }) => {
  page('/settings/telephony', { access: 'admin', query: OverviewQuery, done }, async ({ person, query }) => {
    const { id: teamId } = person.team;
    const { cursor, accounts: accountCursor, limit } = query;
    const [accounts, names, numbers, storage] = await Promise.all([
      telephony.accounts.list(teamId, { limit, ...(accountCursor && { cursor: accountCursor }) }),
      telephony.accounts.listNames(teamId),
      telephony.numbers.list(teamId, { limit, ...(cursor && { cursor }) }),
      telephony.getStorage(teamId),
    ]);
    const { providers } = telephony;
    return overviewPage(person, { providers, accounts, accountCursor, names, numbers, cursor, storage });
  });
};
