import { FIRST_PAGE, html, PageQuery, Type } from '../../../platform/index.ts';
import { NewTokenBody } from '../../../teams/index.ts';
import { moment, momentOrDash } from '../../display/moment.ts';
import { ByPageId, type PageRoutes } from '../../pages.ts';
import { factList } from '../../parts.ts';
import { checkForm } from '../check-form.ts';
import { NEW_TOKEN, tokenOwner, tokenPage, tokensPage } from './tokens-page.ts';

const TokenFormBody = Type.Object({ name: Type.String(), expiresInDays: Type.String() });

const explain = ([field]: readonly string[]): string =>
  field === 'name' ? 'The token needs a name of up to 200 characters.' : 'Choose when the token should expire.';

export const tokenPageRoutes: PageRoutes = ({ page, form, confirm }, { clock, url, teams: { tokens } }) => {
  const done = { revoked: 'Access token revoked.' };

  page('/settings/tokens', { access: 'member', query: PageQuery, done }, async ({ person, caller, query }) => {
    const listed = await tokens.list(caller, query);
    return tokensPage(person, { tokens: listed, cursor: query.cursor, now: clock.now(), form: NEW_TOKEN });
  });

  form(
    '/settings/tokens',
    { access: 'member', body: TokenFormBody },
    async ({ person, caller, actor, body, request }) => {
      const input = { name: body.name.trim(), expiresInDays: Number(body.expiresInDays) };
      const { name, expiresInDays: days } = checkForm(request, NewTokenBody, input, explain);
      return tokenPage(person, await tokens.create(caller, actor, { name, days, isNewName: true }), url);
    },
    async ({ person, caller, body }) => {
      const listed = await tokens.list(caller, FIRST_PAGE);
      return tokensPage(person, { tokens: listed, now: clock.now(), form: body });
    },
  );

  confirm(
    '/settings/tokens/:id/revoke',
    { access: 'member', params: ByPageId },
    async ({ person, caller, params }) => {
      const token = await tokens.get(caller, params.id);
      const { name, createdAt, usedAt } = token;
      const { region } = person;
      const facts = factList([
        ['Owner', tokenOwner(token)],
        ['Created', moment(createdAt, region)],
        ['Last used', momentOrDash(usedAt, region)],
      ]);
      return {
        title: `Revoke “${name}”?`,
        content: html`<p>Anything that uses it stops working immediately. This can't be undone.</p>${facts}`,
        button: 'Revoke token',
        back: '/settings/tokens',
      };
    },
    async ({ caller, actor, params }) => {
      await tokens.revoke(caller, actor, params.id);
      return '/settings/tokens?done=revoked';
    },
  );
};
