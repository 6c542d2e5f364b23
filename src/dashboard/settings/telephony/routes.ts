import type { Routes } from '../../../http/index.ts';
import { Type } from '../../../platform/index.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { doneNotice } from '../../notice.ts';
import { ADMIN_PAGE } from '../../page-route.ts';
import { loadPerson } from '../../person.ts';
import { ListQuery } from '../list-query.ts';
import { accountPages } from './accounts/account-routes.ts';
import { secretPages } from './accounts/secret-routes.ts';
import { setupPages } from './accounts/setup-routes.ts';
import { erasePages } from './erase-routes.ts';
import { numberPages } from './numbers/number-routes.ts';
import { overviewPage } from './overview-page.ts';
import { showTelephony } from './show-telephony.ts';

/** Numbers and accounts are two lists on one page. */
const OverviewQuery = Type.Object({ ...ListQuery.properties, accounts: ListQuery.properties.cursor });

const DONE = {
  account_removed: 'Account removed. Remove its webhook URLs at the provider too.',
  number_removed: 'Number removed.',
};

/** Telephony, for admins: accounts, how calls are answered, and what was refused. */
export const telephonyPages =
  (dependencies: DashboardDependencies): Routes =>
  async (server) => {
    const { settings } = dependencies.telephony;

    server.get(
      '/settings/telephony',
      { schema: { hide: true, querystring: OverviewQuery }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { id: teamId } = person.team;
        const { cursor, accounts: accountCursor, limit } = request.query;
        const [accounts, names, numbers] = await Promise.all([
          settings.listAccounts(teamId, { limit, ...(accountCursor && { cursor: accountCursor }) }),
          settings.listAccountNames(teamId),
          settings.listNumbers(teamId, null, { limit, ...(cursor && { cursor }) }),
        ]);
        const { providers } = settings;
        const page = overviewPage(person, { providers, accounts, accountCursor, names, numbers, cursor });
        return showTelephony(reply, person, { ...page, notice: doneNotice(DONE, request.query.done) });
      },
    );

    for (const addPages of [accountPages, secretPages, setupPages, numberPages, erasePages])
      await addPages(dependencies)(server);
  };
