import { addAsset } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { TeamSettings } from '../../teams/index.ts';
import type { PageRoutes } from '../pages.ts';
import { checkForm } from '../settings/check-form.ts';
import { explainTeamForm } from '../settings/team/team-form.ts';
import { isComplete } from './checklist-section.ts';
import { homePage } from './home-page.ts';
import { loadOverview } from './load-overview.ts';
import { firstStepPage, isNew, WELCOME_SCRIPT, welcomePage } from './welcome-pages.ts';

const done = { dismissed: 'The list is dismissed, for all admins of your team.' };

const TeamBasics = Type.Pick(TeamSettings, ['name', 'timeZone']);

export const homeRoutes: PageRoutes = ({ server, page, form }, context) => {
  const { teams, telephony } = context;
  addAsset(server, WELCOME_SCRIPT);

  page('/', { access: 'member', exposeHeadRoute: true, done }, async ({ person }) => {
    const overview = await loadOverview(context, person);
    if (isComplete(overview)) await teams.team.dismissChecklist(person.team.id);
    return isNew(overview) ? welcomePage(person) : homePage(person, overview);
  });

  form(
    '/welcome',
    { access: 'admin', body: Type.Record(Type.String(), Type.String()) },
    async ({ person, actor, body: { name = '', timeZone }, request }) => {
      const basics = checkForm(request, TeamBasics, { name: name.trim(), timeZone }, explainTeamForm);
      await teams.team.change(person.team.id, actor, basics);
      return '/welcome';
    },
    ({ person, body: { name = '', timeZone = '' } }) => welcomePage(person, { name, timeZone }),
  );

  page('/welcome', { access: 'admin' }, ({ person }) =>
    firstStepPage(person, { hasDemo: telephony.demo !== null, providers: telephony.providers.map(({ name }) => name) }),
  );

  form('/checklist/dismiss', { access: 'admin' }, async ({ person }) => {
    await teams.team.dismissChecklist(person.team.id);
    return '/?done=dismissed';
  });
};
