import type { Routes } from '../../../http/index.ts';
import { Type } from '../../../platform/index.ts';
import { actorOf } from '../../../teams/index.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { attempt, problemNotice } from '../../form.ts';
import { doneNotice } from '../../notice.ts';
import { ADMIN_PAGE, PAGE } from '../../page-route.ts';
import { loadPerson } from '../../person.ts';
import { showPage } from '../../show-page.ts';
import { checkForm } from '../check-form.ts';
import { DoneQuery } from '../done-query.ts';
import { neverOpen } from './errors.ts';
import { isNeverOpen } from './hours-form.ts';
import { explainTeamForm, readTeamForm, TeamChange, toTeamChange, toTeamForm } from './team-form.ts';
import { teamPage } from './team-page.ts';

const DONE = { saved: 'Settings saved.' };

export const teamPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    server.get(
      '/settings',
      { schema: { hide: true, querystring: DoneQuery }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const notice = doneNotice(DONE, request.query.done);
        return showPage(reply, person, 'settings', teamPage(person, toTeamForm(person.team), notice));
      },
    );

    server.post(
      '/settings',
      { schema: { hide: true, body: Type.Record(Type.String(), Type.String()) }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const form = readTeamForm(request.body);
        const changing = await attempt(async () => {
          const change = checkForm(request, TeamChange, toTeamChange(form), explainTeamForm(form));
          if (isNeverOpen(change.businessHours)) throw neverOpen();
          return dependencies.teams.team.change(person.team.id, actorOf(request), change);
        });
        if (changing.ok) return reply.redirect('/settings?done=saved', 303);
        const page = teamPage(person, form, problemNotice(changing.problem));
        return showPage(reply, person, 'settings', page, changing.problem.status);
      },
    );
  };
