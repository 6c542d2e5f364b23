import { FIRST_PAGE, html, PageQuery, Type } from '../../../platform/index.ts';
import { NewTokenBody } from '../../../teams/index.ts';
import { moment, momentOrDash } from '../../display/moment.ts';
import { ByPageId, type PageRoutes } from '../../pages.ts';
import { factList } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { checkForm } from '../check-form.ts';
import { PRESETS, type Preset, readTokenForm, TokenFormBody } from './rights-form.ts';
import { tokenOwner, tokenPage, tokensPage } from './tokens-page.ts';

const TokensQuery = Type.Object({
  ...PageQuery.properties,
  preset: Type.Optional(Type.Enum(Object.keys(PRESETS) as Preset[])),
});

const explain = ([field]: readonly string[]): string => {
  if (field === 'name') return 'The token needs a name of up to 200 characters.';
  return field === 'allow' ? 'There can be up to 100 paths.' : 'Choose when the token should expire.';
};

export const tokenPageRoutes: PageRoutes = (
  { page, form, confirm },
  { clock, url, integrations, teams: { tokens } },
) => {
  const done = { revoked: 'Access token revoked.' };

  /** What the page needs besides the tokens: the connections that a token can be made for. */
  const around = async ({ team, role }: Person) => {
    const connected = await integrations.listConnected(team.id);
    const names = new Map(connected.map(({ provider, name }) => [provider, name]));
    return { now: clock.now(), names, places: role === 'admin' ? connected : null };
  };

  page('/settings/tokens', { access: 'member', query: TokensQuery, done }, async ({ person, caller, query }) => {
    const { preset, ...which } = query;
    const listed = await tokens.list(caller, which);
    const filled = preset === undefined ? {} : PRESETS[preset];
    return tokensPage(person, { tokens: listed, cursor: query.cursor, form: filled, ...(await around(person)) });
  });

  form(
    '/settings/tokens',
    { access: 'member', body: TokenFormBody },
    async ({ person, caller, actor, body, request }) => {
      const input = readTokenForm(body);
      const { name, expiresInDays: days, ...rights } = checkForm(request, NewTokenBody, input, explain);
      return tokenPage(person, await tokens.create(caller, actor, { name, days, isNewName: true, rights }), url);
    },
    async ({ person, caller, body }) => {
      const listed = await tokens.list(caller, FIRST_PAGE);
      return tokensPage(person, { tokens: listed, form: body, ...(await around(person)) });
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
