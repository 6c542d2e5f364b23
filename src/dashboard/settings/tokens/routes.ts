import { callerOf, type Routes } from '../../../http/index.ts';
import { FIRST_PAGE, Type } from '../../../platform/index.ts';
import { actorOf, NewTokenBody } from '../../../teams/index.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { attempt, problemNotice } from '../../form.ts';
import { doneNotice } from '../../notice.ts';
import { PAGE } from '../../page-route.ts';
import { loadPerson } from '../../person.ts';
import { showPage } from '../../show-page.ts';
import { checkForm } from '../check-form.ts';
import { ListQuery } from '../list-query.ts';
import { revokeTokenPage, tokenPage } from './token-page.ts';
import { NEW_TOKEN, tokensPage } from './tokens-page.ts';

const DONE = { revoked: 'Access token revoked.' };

const ById = Type.Object({ id: Type.String() });
const TokenFormBody = Type.Object({ name: Type.String(), expiresInDays: Type.String() });

const explain = ([field]: readonly string[]): string =>
  field === 'name' ? 'The token needs a name of up to 200 characters.' : 'Choose how long the token should work.';

export const tokenPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { clock, url, teams } = dependencies;

    server.get(
      '/settings/tokens',
      { schema: { hide: true, querystring: ListQuery }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const tokens = await teams.tokens.list(callerOf(request), request.query);
        const notice = doneNotice(DONE, request.query.done);
        const page = tokensPage(person, {
          tokens,
          cursor: request.query.cursor,
          now: clock.now(),
          form: NEW_TOKEN,
          notice,
        });
        return showPage(reply, person, 'settings', page);
      },
    );

    server.post(
      '/settings/tokens',
      { schema: { hide: true, body: TokenFormBody }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const caller = callerOf(request);
        const { name, expiresInDays } = request.body;
        const making = await attempt(async () => {
          const input = { name: name.trim(), expiresInDays: Number(expiresInDays) };
          const wish = checkForm(request, NewTokenBody, input, explain);
          const token = { name: wish.name, days: wish.expiresInDays };
          return teams.tokens.create(caller, actorOf(request), token);
        });
        if (making.ok) return showPage(reply, person, 'settings', tokenPage(person, making.result, url));
        const tokens = await teams.tokens.list(caller, FIRST_PAGE);
        const notice = problemNotice(making.problem);
        const page = tokensPage(person, { tokens, now: clock.now(), form: request.body, notice });
        return showPage(reply, person, 'settings', page, making.problem.status);
      },
    );

    server.get(
      '/settings/tokens/:id/revoke',
      { schema: { hide: true, params: ById }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const token = await teams.tokens.get(callerOf(request), request.params.id);
        return showPage(reply, person, 'settings', revokeTokenPage(person, token));
      },
    );

    server.post(
      '/settings/tokens/:id/revoke',
      { schema: { hide: true, params: ById }, config: PAGE },
      async (request, reply) => {
        await loadPerson(dependencies, request);
        await teams.tokens.revoke(callerOf(request), actorOf(request), request.params.id);
        return reply.redirect('/settings/tokens?done=revoked', 303);
      },
    );
  };
