import { notFound, type Routes } from '../../../../http/index.ts';
import { html, Type } from '../../../../platform/index.ts';
import { actorOf } from '../../../../teams/index.ts';
import type { DashboardDependencies } from '../../../dependencies.ts';
import { ADMIN_PAGE } from '../../../page-route.ts';
import { loadPerson } from '../../../person.ts';
import { askPage } from '../ask-page.ts';
import { showTelephony } from '../show-telephony.ts';
import { AccountForm, readApi, textOf } from './account-form.ts';
import { secretName } from './account-secrets.ts';
import { ACCOUNTS, ByAccount, changeAccount } from './change-account.ts';
import { loadAccount } from './load-account.ts';

const BySecret = Type.Object({ id: Type.String({ maxLength: 60 }), secretId: Type.String({ maxLength: 60 }) });

/** Entered once and never shown again: secrets that verify, and credentials that fetch recordings. */
export const secretPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { settings } = dependencies.telephony;

    server.post(
      `${ACCOUNTS}/:id/secrets`,
      { schema: { hide: true, params: ByAccount, body: AccountForm }, config: ADMIN_PAGE },
      (request, reply) =>
        changeAccount(dependencies, request, reply, request.params, async ({ team }, { account }) => {
          const addSecret = textOf(request.body, 'secret');
          await settings.changeAccount(team.id, actorOf(request), account.id, { addSecret });
          return 'secret_added';
        }),
    );

    server.get(
      `${ACCOUNTS}/:id/secrets/:secretId/remove`,
      { schema: { hide: true, params: BySecret }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { id, secretId } = request.params;
        const { account, provider } = await loadAccount(dependencies, person, id);
        const secret = account.secrets.find((candidate) => candidate.id === secretId);
        if (!secret) throw notFound();
        const page = askPage(
          {
            title: `Remove the secret ${secretName(secret)}?`,
            content: html`<p>Requests that ${provider.name} signs with it are refused from then on. ${
              secret.lastUsedAt
                ? 'It has verified requests before, so make sure that the provider uses another one now.'
                : 'It has not verified anything so far.'
            }</p>`,
            action: `${ACCOUNTS}/${id}/secrets/${secretId}/remove`,
            button: 'Remove secret',
            back: `${ACCOUNTS}/${id}`,
          },
          person.csrfToken,
        );
        return showTelephony(reply, person, page);
      },
    );

    server.post(
      `${ACCOUNTS}/:id/secrets/:secretId/remove`,
      { schema: { hide: true, params: BySecret }, config: ADMIN_PAGE },
      (request, reply) =>
        changeAccount(dependencies, request, reply, request.params, async ({ team }, { account }) => {
          const removeSecret = request.params.secretId;
          await settings.changeAccount(team.id, actorOf(request), account.id, { removeSecret });
          return 'secret_removed';
        }),
    );

    server.post(
      `${ACCOUNTS}/:id/api`,
      { schema: { hide: true, params: ByAccount, body: AccountForm }, config: ADMIN_PAGE },
      (request, reply) =>
        changeAccount(dependencies, request, reply, request.params, async ({ team }, { account, provider }) => {
          const api = readApi(provider, request.body);
          await settings.changeAccount(team.id, actorOf(request), account.id, { api });
          return Object.keys(api).length > 0 ? 'api_saved' : 'api_removed';
        }),
    );
  };
