import { html, PageQuery, Type } from '../../../../platform/index.ts';
import type { NumberView } from '../../../../telephony/index.ts';
import { problemNotice } from '../../../notice.ts';
import { ByPageId, type PageRoutes } from '../../../pages.ts';
import { ACCOUNT_CHANGED, ACCOUNTS_PATH } from './account-change-routes.ts';
import { AccountForm, explainAccountError, toAccountWish } from './account-form.ts';
import { accountPage } from './account-page.ts';
import { accountName } from './account-state.ts';
import { findProviderInfo, loadAccount } from './load-account.ts';
import { chooseProviderPage, newAccountPage } from './new-account-page.ts';

const ByProvider = Type.Object({ provider: Type.Optional(Type.String({ maxLength: 60 })) });

const done = {
  added: 'Account added. Paste the webhook URLs at the provider, then test the setup.',
  ...ACCOUNT_CHANGED,
};

/** The numbers on one page, and how many more there are. */
const namesOf = (numbers: readonly NumberView[], all: number): string => {
  const names = numbers.map(({ number }) => number).join(', ');
  return all > numbers.length ? `${names} and ${all - numbers.length} more` : names;
};

/** Routes that add, show and remove an account. */
export const accountPageRoutes: PageRoutes = ({ page, form, confirm }, context) => {
  const { accounts, providers } = context.telephony;

  page(`${ACCOUNTS_PATH}/new`, { access: 'admin', query: ByProvider }, ({ person, query: { provider } }) =>
    provider === undefined
      ? chooseProviderPage(providers)
      : newAccountPage(person, findProviderInfo(context, provider), {}),
  );

  form(
    `${ACCOUNTS_PATH}/new`,
    { access: 'admin', query: ByProvider, body: AccountForm },
    async ({ person, actor, query, body }) => {
      const wish = toAccountWish(findProviderInfo(context, query.provider ?? ''), body);
      const { id } = await accounts.create(person.team.id, actor, wish);
      return `${ACCOUNTS_PATH}/${id}?done=added`;
    },
    ({ person, query, body }, problem) => {
      const provider = findProviderInfo(context, query.provider ?? '');
      const notice = problemNotice(problem, explainAccountError(provider));
      return { ...newAccountPage(person, provider, body), notice };
    },
  );

  page(
    `${ACCOUNTS_PATH}/:id`,
    { access: 'admin', params: ByPageId, query: PageQuery, done },
    async ({ person, params, query }) => accountPage(person, await loadAccount(context, person, params.id, query)),
  );

  confirm(
    `${ACCOUNTS_PATH}/:id/remove`,
    { access: 'admin', params: ByPageId },
    async ({ person, params: { id } }) => {
      const { account, numbers } = await loadAccount(context, person, id);
      return {
        title: `Remove ${accountName(providers, account)}?`,
        content: html`<p>Its secrets are deleted, and requests from the provider will be refused. ${
          account.numbers > 0
            ? `These numbers are removed too, and their calls are no longer answered: ${namesOf(numbers.rows, account.numbers)}.`
            : 'It has no numbers.'
        }</p>
<p>Calls and recordings stay. Requests that were set aside are deleted.</p>`,
        button: 'Remove account',
        back: `${ACCOUNTS_PATH}/${id}`,
      };
    },
    async ({ person, actor, params }) => {
      await accounts.remove(person.team.id, actor, params.id);
      return '/settings/telephony?done=account_removed';
    },
  );
};
