import { Type } from '../../../platform/index.ts';
import { begunWith } from '../../../teams/index.ts';
import type { PageRoutes, Visit } from '../../pages.ts';
import { connectionNamed, loadEntry } from '../entry.ts';
import { ByPageConnection } from '../prefixed.ts';
import { chooseSitePage } from './site-form.ts';

const PATH = '/integrations/:provider/connections/:connection/site';

const Form = Type.Object({ site: Type.String({ maxLength: 300 }) });

/** Messages on the provider's page after a site was chosen. */
export const SITE_DONE = { site: 'Saved. Requests now go there.' };

export const sitePageRoutes: PageRoutes = ({ page, form }, context) => {
  const { integrations, clock } = context;

  const wantedBy = ({ person, caller, params }: Visit<typeof ByPageConnection>) => ({
    ...{ teamId: person.team.id, userId: caller.userId, provider: params.provider, name: params.connection },
  });

  const show = async (visit: Visit<typeof ByPageConnection>) => {
    const { person, params } = visit;
    const { entry } = await loadEntry(context, person.team.id, params.provider);
    const held = connectionNamed(entry, params.connection);
    const word = entry.provider?.sites;
    if (!held || !word) return `/integrations/${entry.id}`;
    const checkCaller = async () => visit.request.checkCaller?.();
    const { sites } = await integrations.listSites(wantedBy(visit), { checkCaller });
    return chooseSitePage(person, held, { word, sites });
  };

  page(PATH, { access: 'member', params: ByPageConnection }, show);
  form(
    PATH,
    { access: 'member', params: ByPageConnection, body: Form },
    async (visit) => {
      const begun = { begunAt: clock.now(), ...begunWith(visit.caller) };
      await integrations.chooseSite(wantedBy(visit), visit.body.site, visit.actor, begun);
      return `/integrations/${visit.params.provider}?done=site`;
    },
    show,
  );
};
