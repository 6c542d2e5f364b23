import { sendCsv } from '../../../http/index.ts';
import { FIRST_PAGE, PageQuery } from '../../../platform/index.ts';
import { ByPageId, type PageRoutes } from '../../pages.ts';
import type { Person } from '../../person.ts';
import { ContainmentForm, type EnteredContainment, readWhat } from './containment-form.ts';
import { containmentPage } from './containment-page.ts';
import { CONTAINMENT } from './containment-words.ts';
import { containmentsPage } from './containments-page.ts';
import { forecastPage } from './forecast-page.ts';

/** How many tokens the form lists. */
const MOST_TOKENS = 100;

const toAsked = (teamId: string, { reason, what, revoke }: EnteredContainment) => ({
  ...{ reason: reason.trim(), ofTeamId: teamId, connectedBefore: null, revokes: revoke !== undefined },
  ...readWhat(what),
});

/** Pages to stop what may have leaked in the team. */
export const containmentPageRoutes: PageRoutes = ({ page, form }, { integrations, teams }) => {
  const { containments } = integrations;
  const access = 'admin';
  const { path } = CONTAINMENT;

  const loadStoppable = async ({ team }: Person) => {
    const connected = await integrations.listConnected(team.id);
    const names = new Map(connected.map(({ provider, name }) => [provider, name]));
    return { names, providers: [...names].map(([id, name]) => ({ id, name })) };
  };

  const loadNames = async (person: Person): Promise<Map<string, string>> => (await loadStoppable(person)).names;

  page(path, { access, query: PageQuery }, async ({ person, caller, query }) => {
    const { names, providers } = await loadStoppable(person);
    const tokens = await teams.tokens.list(caller, { limit: MOST_TOKENS });
    const listed = await containments.list(person.team.id, query);
    const stoppable = { providers, tokens: tokens.rows.filter(({ isContained }) => !isContained) };
    return containmentsPage(person, { containments: listed, cursor: query.cursor, stoppable, names });
  });

  const showAgain = async (
    person: Person,
    caller: Parameters<typeof teams.tokens.list>[0],
    entered: EnteredContainment,
  ) => {
    const { names, providers } = await loadStoppable(person);
    const tokens = await teams.tokens.list(caller, { limit: MOST_TOKENS });
    const listed = await containments.list(person.team.id, FIRST_PAGE);
    return containmentsPage(person, {
      ...{ containments: listed, stoppable: { providers, tokens: tokens.rows }, names, entered },
    });
  };

  form(
    `${path}/forecast`,
    { access, body: ContainmentForm },
    async ({ person, actor, body }) => {
      const asker = { owner: person.team.id, actor };
      const forecast = await containments.forecastContainment(toAsked(person.team.id, body), asker);
      return forecastPage(person, { forecast, entered: body, names: await loadNames(person) });
    },
    ({ person, caller, body }) => showAgain(person, caller, body),
  );

  form(
    path,
    { access, body: ContainmentForm },
    async ({ person, actor, body }) => {
      const asker = { owner: person.team.id, actor };
      const { id } = await containments.beginContainment(toAsked(person.team.id, body), asker);
      return `${path}/${id}?done=stopped`;
    },
    ({ person, caller, body }) => showAgain(person, caller, body),
  );

  const done = { stopped: 'Stopped.', lifted: 'Lifted. What was ended at the providers has to be connected again.' };
  page(`${path}/:id`, { access, params: ByPageId, query: PageQuery, done }, async ({ person, params, query }) => {
    const { limit, cursor } = query;
    const details = await containments.get(person.team.id, params.id, { limit, ...(cursor ? { cursor } : {}) });
    return containmentPage(person, { details, cursor, names: await loadNames(person) });
  });

  for (const [name, write] of [
    ['connections', containments.writeLedger],
    ['exposure', containments.writeExposure],
  ] as const)
    page(`${path}/:id/${name}.csv`, { access, params: ByPageId }, async ({ person, params, reply }) =>
      sendCsv(reply, name, await write(person.team.id, params.id)),
    );

  form(`${path}/:id/lift`, { access, params: ByPageId }, async ({ person, actor, params: { id } }) => {
    await containments.liftContainment(id, { owner: person.team.id, actor });
    return `${path}/${id}?done=lifted`;
  });
};
