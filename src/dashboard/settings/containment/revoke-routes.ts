import { html, toIso } from '../../../platform/index.ts';
import { ByPageId, type PageRoutes } from '../../pages.ts';
import { CONTAINMENT, containmentTitle } from './containment-words.ts';
import { forecastPage } from './forecast-page.ts';
import { loadNames } from './load-containments.ts';

/** A page that also ends access at the providers, for a containment that has only stopped it. */
export const containedRevokeRoutes: PageRoutes = ({ page, form }, context) => {
  const { containments } = context.integrations;
  const access = 'admin';
  const { path } = CONTAINMENT;

  /** The same once more, with revocation. What was connected since then isn't affected. Null if there's nothing to do. */
  const loadAsked = async (ofTeamId: string, id: string) => {
    const { reason, filters, startedAt, revoke, liftedAt } = await containments.get(ofTeamId, id, { limit: 1 });
    if (revoke || liftedAt !== null) return null;
    const { provider, token } = filters;
    const connectedBefore = filters.connectedBefore ?? toIso(Date.parse(startedAt) + 1);
    return {
      described: { reason, revoke: true, filters: { provider, token, connectedBefore } },
      asked: {
        ...{ reason, ofTeamId, provider, tokenId: token?.id ?? null, revokes: true },
        connectedBefore: Date.parse(connectedBefore),
      },
    };
  };

  page(`${path}/:id/revoke`, { access, params: ByPageId }, async ({ person, actor, params: { id } }) => {
    const { team } = person;
    const back = `${path}/${id}`;
    const found = await loadAsked(team.id, id);
    if (!found) return back;
    const { asked, described } = found;
    const forecast = await containments.forecastContainment(asked, { owner: team.id, actor });
    const concerned = [asked.provider, ...forecast.providers.map(({ provider }) => provider)];
    const names = await loadNames(context, team.id, concerned);
    const title = 'Also end access at the providers?';
    return {
      ...forecastPage(person, {
        ...{ forecast, asked: described, names, title, action: `${back}/revoke`, fields: html`` },
        ...{ button: 'End access now', back },
      }),
      under: [{ path: back, name: containmentTitle(described) }],
    };
  });

  form(`${path}/:id/revoke`, { access, params: ByPageId }, async ({ person: { team }, actor, params: { id } }) => {
    const found = await loadAsked(team.id, id);
    if (!found) return `${path}/${id}`;
    const begun = await containments.beginContainment(found.asked, { owner: team.id, actor });
    return `${path}/${begun.id}?done=stopped`;
  });
};
