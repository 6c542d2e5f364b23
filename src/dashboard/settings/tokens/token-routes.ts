import { FIRST_PAGE, type Html, html, PageQuery, Refusal, Type } from '../../../platform/index.ts';
import { type AccessToken, NewTokenBody } from '../../../teams/index.ts';
import { AGENTS_PATH } from '../../agents/agents-path.ts';
import { moment, momentOrDash } from '../../display/moment.ts';
import { ByPageId, type PageRoutes } from '../../pages.ts';
import { factList } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { checkForm } from '../check-form.ts';
import { madeTokenPage } from './made-token-page.ts';
import { findRightsFlaw, PRESETS, type Preset, readTokenForm, type TokenForm, TokenFormBody } from './token-form.ts';
import { tokenOwner, tokensPage } from './tokens-page.ts';
import { findTryAddress } from './try-address.ts';

const TokensQuery = Type.Object({
  ...PageQuery.properties,
  preset: Type.Optional(Type.Enum(Object.keys(PRESETS) as Preset[])),
});

/** The page that led to the question, to go back there. The list of tokens if nothing is said. */
const Origin = Type.Object({ from: Type.Optional(Type.Literal('agents')) });

const explain = ([field]: readonly string[]): string => {
  if (field === 'name') return 'The token needs a name of up to 200 characters.';
  if (field === 'allow') return 'There can be up to 100 paths of up to 1,000 characters.';
  if (field === 'approvalMinutes') return 'Choose how long a request waits.';
  return 'Choose when the token should expire.';
};

const checkRights = (form: TokenForm): void => {
  const flaw = findRightsFlaw(form);
  if (flaw) throw new Refusal(400, 'dashboard.form_invalid', flaw.message);
};

/** What ends with the token. */
const revocationWords = ({ restriction }: AccessToken): Html =>
  html`<p>Anything that uses it stops working immediately. This can't be undone.</p>${
    (restriction?.approvalMinutes ?? null) !== null &&
    html`<p>Requests of the token that wait for an approval are refused. Everything that the token asked for is erased with it, including bodies and responses.</p>`
  }`;

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
    const view = { tokens: listed, cursor: query.cursor, form: filled, flaw: null };
    return tokensPage(person, { ...view, ...(await around(person)) });
  });

  form(
    '/settings/tokens',
    { access: 'member', body: TokenFormBody },
    async ({ person, caller, actor, body, request }) => {
      const input = checkForm(request, NewTokenBody, readTokenForm(body), explain);
      checkRights(body);
      const { name, expiresInDays: days, expiresInMinutes: minutes, ...rights } = input;
      const made = await tokens.create(caller, actor, { name, days, minutes, isNewName: true, rights });
      const address = findTryAddress(rights);
      return madeTokenPage(person, made, address === null ? null : `${url}${address}`);
    },
    async ({ person, caller, body }) => {
      const listed = await tokens.list(caller, FIRST_PAGE);
      const view = { tokens: listed, form: body, flaw: findRightsFlaw(body) };
      return tokensPage(person, { ...view, ...(await around(person)) });
    },
  );

  confirm(
    '/settings/tokens/:id/revoke',
    { access: 'member', params: ByPageId, query: Origin, body: Origin },
    async ({ person, caller, params, query: { from } }) => {
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
        content: html`${revocationWords(token)}${facts}`,
        ...(from && { fields: html`<input type="hidden" name="from" value="${from}">` }),
        button: 'Revoke token',
        back: from ? AGENTS_PATH : '/settings/tokens',
      };
    },
    async ({ caller, actor, params, body: { from } }) => {
      await tokens.revoke(caller, actor, params.id);
      return from ? `${AGENTS_PATH}?done=removed` : '/settings/tokens?done=revoked';
    },
  );
};
