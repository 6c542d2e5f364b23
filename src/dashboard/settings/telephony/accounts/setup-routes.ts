import type { Routes } from '../../../../http/index.ts';
import { actorOf } from '../../../../teams/index.ts';
import type { DashboardDependencies } from '../../../dependencies.ts';
import { ADMIN_PAGE } from '../../../page-route.ts';
import { loadPerson } from '../../../person.ts';
import { showTelephony } from '../show-telephony.ts';
import { accountPage } from './account-page.ts';
import { ACCOUNTS, ByAccount, changeAccount } from './change-account.ts';
import { loadAccount } from './load-account.ts';

/** Testing whether an account is set up right, and releasing what arrived before it was. */
export const setupPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { settings } = dependencies.telephony;

    server.post(
      `${ACCOUNTS}/:id/test`,
      { schema: { hide: true, params: ByAccount }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { id } = request.params;
        const test = await settings.testSetup(person.team.id, id);
        const view = await loadAccount(dependencies, person, id);
        return showTelephony(reply, person, accountPage(person, { ...view, test }));
      },
    );

    server.post(
      `${ACCOUNTS}/:id/release`,
      { schema: { hide: true, params: ByAccount }, config: ADMIN_PAGE },
      (request, reply) =>
        changeAccount(dependencies, request, reply, request.params, async ({ team }, { account }) => {
          const { released, held } = await settings.releaseHeld(team.id, actorOf(request), account.id);
          if (held === 0) return 'released';
          return released > 0 ? 'released_some' : 'released_none';
        }),
    );
  };
