import { sendCsv } from '../../../http/index.ts';
import { type Html, html, PageQuery } from '../../../platform/index.ts';
import { ByPageId, type PageRoutes } from '../../pages.ts';
import { containmentPage } from './containment-page.ts';
import { CONTAINMENT } from './containment-words.ts';
import { containmentsPage } from './containments-page.ts';
import { ContainmentForm, type EnteredContainment, readContainment } from './entered-containment.ts';
import { forecastPage } from './forecast-page.ts';
import { liftQuestion } from './lift-question.ts';
import { loadContainments, loadNames, loadToken } from './load-containments.ts';

const hidden = (name: string, value: string | undefined): Html | false =>
  value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`;

const fieldsOf = ({ reason, what, revoke }: EnteredContainment): Html =>
  html`${hidden('reason', reason)}${hidden('what', what)}${hidden('revoke', revoke)}`;

/** Pages to stop what may have leaked in the team. */
export const containmentPageRoutes: PageRoutes = ({ page, form, confirm }, context) => {
  const { containments } = context.integrations;
  const access = 'admin';
  const { path } = CONTAINMENT;

  page(path, { access, query: PageQuery }, async ({ person, caller, query }) =>
    containmentsPage(person, await loadContainments(context, person, caller, { query })),
  );

  form(
    `${path}/forecast`,
    { access, body: ContainmentForm },
    async ({ person, caller, actor, body }) => {
      const { team } = person;
      const asked = readContainment(team.id, body);
      const { provider, tokenId, reason, revokes: revoke } = asked;
      const forecast = await containments.forecastContainment(asked, { owner: team.id, actor });
      const token = await loadToken(context, caller, tokenId);
      const concerned = [provider, ...forecast.providers.map((one) => one.provider)];
      return forecastPage(person, {
        forecast,
        asked: { reason, revoke, filters: { provider, connectedBefore: null, token } },
        names: await loadNames(context, team.id, concerned),
        ...{ title: 'Stop this?', action: path, fields: fieldsOf(body), button: 'Stop it now', back: path },
      });
    },
    async ({ person, caller, body: entered }) =>
      containmentsPage(person, await loadContainments(context, person, caller, { entered })),
  );

  form(
    path,
    { access, body: ContainmentForm },
    async ({ person: { team }, actor, body }) => {
      const asked = readContainment(team.id, body);
      const { id } = await containments.beginContainment(asked, { owner: team.id, actor });
      return `${path}/${id}?done=stopped`;
    },
    async ({ person, caller, body: entered }) =>
      containmentsPage(person, await loadContainments(context, person, caller, { entered })),
  );

  const done = {
    stopped: 'Stopped.',
    lifted: 'Lifted.',
    partly: 'Lifted. What was ended at the providers has to be connected again.',
  };
  page(`${path}/:id`, { access, params: ByPageId, query: PageQuery, done }, async ({ person, params, query }) => {
    const { limit, cursor } = query;
    const { id: teamId } = person.team;
    const details = await containments.get(teamId, params.id, { limit, ...(cursor ? { cursor } : {}) });
    const concerned = [details.filters.provider, ...details.connections.map(({ provider }) => provider)];
    return containmentPage(person, { details, cursor, names: await loadNames(context, teamId, concerned) });
  });

  for (const [name, write] of [
    ['connections', containments.writeLedger],
    ['exposure', containments.writeExposure],
  ] as const)
    page(`${path}/:id/${name}.csv`, { access, params: ByPageId }, async ({ caller, params, reply }) =>
      sendCsv(reply, name, await write(caller, params.id)),
    );

  confirm(
    `${path}/:id/lift`,
    { access, params: ByPageId },
    async ({ person, caller, params: { id } }) => {
      const containment = await containments.get(person.team.id, id, { limit: 1 });
      const { by, filters, liftedAt } = containment;
      if (liftedAt !== null || by === 'operator') return `${path}/${id}`;
      const names = await loadNames(context, person.team.id, [filters.provider]);
      const token = await loadToken(context, caller, filters.token?.id ?? null);
      return liftQuestion(person, { containment, names, hasToken: token !== null });
    },
    async ({ person: { team }, actor, params: { id } }) => {
      const { revokes } = await containments.liftContainment(id, { owner: team.id, actor });
      return `${path}/${id}?done=${revokes ? 'partly' : 'lifted'}`;
    },
  );
};
