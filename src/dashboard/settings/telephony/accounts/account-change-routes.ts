import type { TSchema } from 'typebox';
import { notFound } from '../../../../http/index.ts';
import { html, Type } from '../../../../platform/index.ts';
import { problemNotice } from '../../../notice.ts';
import { ByPageId, type PageRoutes, type Visit } from '../../../pages.ts';
import { AccountForm, enteredText, explainAccountError, isTicked, readApi, readMode } from './account-form.ts';
import { accountPage } from './account-page.ts';
import { secretName } from './credentials-part.ts';
import { loadAccount } from './load-account.ts';

export const ACCOUNTS_PATH = '/settings/telephony/accounts';

export const ACCOUNT_CHANGED = {
  saved: 'Account saved.',
  secret_added: 'Secret added. It works from now on.',
  secret_removed: 'Secret removed.',
  api_saved: 'Saved. Recordings are fetched with these credentials from now on.',
  api_removed: 'Credentials for recordings removed.',
  released: 'All requests that were set aside were verified and accepted.',
  released_some: 'Some requests were verified and accepted. The rest are still set aside.',
  released_none: 'None could be verified yet. See the refused requests for the reason.',
};

const BySecret = Type.Object({ ...ByPageId.properties, secretId: ByPageId.properties.id });

type Change = Visit<typeof ByPageId, TSchema, typeof AccountForm>;

/** The forms on an account's page. Secrets and credentials are entered once and never shown again. */
export const accountChangeRoutes: PageRoutes = ({ page, form, confirm }, context) => {
  const { accounts } = context.telephony;

  const change = (path: string, act: (visit: Change) => Promise<keyof typeof ACCOUNT_CHANGED>): void =>
    form(
      `${ACCOUNTS_PATH}/:id${path}`,
      { access: 'admin', params: ByPageId, body: AccountForm },
      async (visit) => `${ACCOUNTS_PATH}/${visit.params.id}?done=${await act(visit)}`,
      async ({ person, params, body }, problem) => {
        const view = await loadAccount(context, person, params.id);
        const notice = problemNotice(problem, explainAccountError(view.provider));
        const refused = path.slice(1);
        return { ...accountPage(person, { ...view, accountId: body['accountId']?.trim(), refused }), notice };
      },
    );

  change('', async ({ person, actor, params, body }) => {
    const { account } = await loadAccount(context, person, params.id);
    const mode = readMode(body);
    await accounts.change(person.team.id, actor, account.id, {
      accountId: enteredText(body, 'accountId') || null,
      removesArchived: isTicked(body, 'removesArchived'),
      // Leave out an unchanged mode. Setting observe mode again would restart its seven days.
      ...(mode === account.mode ? {} : { mode }),
    });
    return 'saved';
  });

  change('/secrets', async ({ person, actor, params, body }) => {
    await accounts.change(person.team.id, actor, params.id, { addSecret: enteredText(body, 'secret') });
    return 'secret_added';
  });

  confirm(
    `${ACCOUNTS_PATH}/:id/secrets/:secretId/remove`,
    { access: 'admin', params: BySecret },
    async ({ person, params: { id, secretId } }) => {
      const { account, provider } = await loadAccount(context, person, id);
      const secret = account.secrets.find((candidate) => candidate.id === secretId);
      if (!secret) throw notFound();
      return {
        title: `Remove secret ${secretName(secret)}?`,
        content: html`<p>Requests that ${provider.name} signs with it will be refused. ${
          secret.lastUsedAt
            ? 'It has verified requests before, so make sure that the provider uses another one now.'
            : html`It hasn't verified any requests yet.`
        }</p>`,
        button: 'Remove secret',
        back: `${ACCOUNTS_PATH}/${id}`,
      };
    },
    async ({ person, actor, params: { id, secretId } }) => {
      await accounts.change(person.team.id, actor, id, { removeSecret: secretId });
      return `${ACCOUNTS_PATH}/${id}?done=secret_removed`;
    },
  );

  change('/api', async ({ person, actor, params, body }) => {
    const { provider } = await loadAccount(context, person, params.id);
    const api = readApi(provider, body);
    await accounts.change(person.team.id, actor, params.id, { api });
    return Object.keys(api).length > 0 ? 'api_saved' : 'api_removed';
  });

  form(`${ACCOUNTS_PATH}/:id/test`, { access: 'admin', params: ByPageId }, async ({ person, params: { id } }) => {
    const test = await accounts.testSetup(person.team.id, id);
    return accountPage(person, { ...(await loadAccount(context, person, id)), test });
  });

  // This path is in the browser's address bar after the form was sent. Opening it leads back to the account.
  page(
    `${ACCOUNTS_PATH}/:id/test`,
    { access: 'admin', params: ByPageId },
    ({ params }) => `${ACCOUNTS_PATH}/${params.id}#test`,
  );

  change('/release', async ({ person, actor, params }) => {
    const { released, held } = await accounts.releaseHeld(person.team.id, actor, params.id);
    if (held === 0) return 'released';
    return released > 0 ? 'released_some' : 'released_none';
  });
};
