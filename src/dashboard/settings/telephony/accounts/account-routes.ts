import type { Routes } from '../../../../http/index.ts';
import { html, Type } from '../../../../platform/index.ts';
import { actorOf } from '../../../../teams/index.ts';
import type { NumberAnswer } from '../../../../telephony/index.ts';
import type { DashboardDependencies } from '../../../dependencies.ts';
import { attempt } from '../../../form.ts';
import { doneNotice } from '../../../notice.ts';
import { ADMIN_PAGE } from '../../../page-route.ts';
import { loadPerson } from '../../../person.ts';
import { ListQuery } from '../../list-query.ts';
import { askPage } from '../ask-page.ts';
import { formProblem } from '../fields.ts';
import { showTelephony } from '../show-telephony.ts';
import { AccountForm, explainAccountError, isTicked, readMode, textOf, toAccountWish } from './account-form.ts';
import { accountPage } from './account-page.ts';
import { accountName } from './account-state.ts';
import { ACCOUNT_DONE, ACCOUNTS, ByAccount, changeAccount } from './change-account.ts';
import { findProvider, loadAccount } from './load-account.ts';
import { chooseProviderPage, newAccountPage } from './new-account-page.ts';

const ByProvider = Type.Object({ provider: Type.Optional(Type.String({ maxLength: 60 })) });

/** One page of numbers, and how many more there are. */
const namesOf = (numbers: readonly NumberAnswer[], all: number): string => {
  const names = numbers.map(({ number }) => number).join(', ');
  return all > numbers.length ? `${names} and ${all - numbers.length} more` : names;
};

/** Adding, viewing, changing and removing an account. */
export const accountPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { settings } = dependencies.telephony;

    server.get(
      `${ACCOUNTS}/new`,
      { schema: { hide: true, querystring: ByProvider }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { provider } = request.query;
        const page =
          provider === undefined
            ? chooseProviderPage(settings.providers)
            : newAccountPage(person, findProvider(dependencies, provider), {});
        return showTelephony(reply, person, page);
      },
    );

    server.post(
      `${ACCOUNTS}/new`,
      { schema: { hide: true, querystring: ByProvider, body: AccountForm }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const provider = findProvider(dependencies, request.query.provider ?? '');
        const wish = toAccountWish(provider, request.body);
        const added = await attempt(() => settings.addAccount(person.team.id, actorOf(request), wish));
        if (added.ok) return reply.redirect(`${ACCOUNTS}/${added.result}?done=added`, 303);
        const notice = formProblem(added.problem, explainAccountError(provider));
        const page = newAccountPage(person, provider, request.body);
        return showTelephony(reply, person, { ...page, notice }, added.problem.status);
      },
    );

    server.get(
      `${ACCOUNTS}/:id`,
      { schema: { hide: true, params: ByAccount, querystring: ListQuery }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const page = accountPage(person, await loadAccount(dependencies, person, request.params.id, request.query));
        return showTelephony(reply, person, { ...page, notice: doneNotice(ACCOUNT_DONE, request.query.done) });
      },
    );

    server.post(
      `${ACCOUNTS}/:id`,
      { schema: { hide: true, params: ByAccount, body: AccountForm }, config: ADMIN_PAGE },
      (request, reply) => {
        const { params, body } = request;
        const typedId = textOf(body, 'accountId');
        return changeAccount(
          dependencies,
          request,
          reply,
          { id: params.id, typedId },
          async ({ team }, { account }) => {
            const mode = readMode(body);
            await settings.changeAccount(team.id, actorOf(request), account.id, {
              accountId: typedId || null,
              removesArchived: isTicked(body, 'removesArchived'),
              // Set again, observing would start over.
              ...(mode === account.mode ? {} : { mode }),
            });
            return 'saved';
          },
        );
      },
    );

    server.get(
      `${ACCOUNTS}/:id/remove`,
      { schema: { hide: true, params: ByAccount }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { account, numbers } = await loadAccount(dependencies, person, request.params.id);
        const page = askPage(
          {
            title: `Remove ${accountName(settings.providers, account)}?`,
            content: html`<p>Its secrets are deleted, and the provider's requests are refused from then on. ${
              account.numbers > 0
                ? `These numbers are removed too, and their calls are no longer answered: ${namesOf(numbers.rows, account.numbers)}.`
                : 'It has no numbers.'
            }</p>
<p>Calls and recordings stay. Held requests are deleted.</p>`,
            action: `${ACCOUNTS}/${account.id}/remove`,
            button: 'Remove account',
            back: `${ACCOUNTS}/${account.id}`,
          },
          person.csrfToken,
        );
        return showTelephony(reply, person, page);
      },
    );

    server.post(
      `${ACCOUNTS}/:id/remove`,
      { schema: { hide: true, params: ByAccount }, config: ADMIN_PAGE },
      async (request, reply) => {
        const { team } = await loadPerson(dependencies, request);
        await settings.removeAccount(team.id, actorOf(request), request.params.id);
        return reply.redirect('/settings/telephony?done=account_removed', 303);
      },
    );
  };
