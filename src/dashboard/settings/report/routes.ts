import type { Routes } from '../../../http/index.ts';
import { Type } from '../../../platform/index.ts';
import { actorOf } from '../../../teams/index.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { attempt } from '../../form.ts';
import { ADMIN_PAGE, PAGE } from '../../page-route.ts';
import { loadPerson } from '../../person.ts';
import { checkForm } from '../check-form.ts';
import { DoneQuery } from '../done-query.ts';
import { explainRecipients, RecipientsChange, toRecipientsChange } from './recipients-form.ts';
import { showReportSettings } from './show-report-settings.ts';

const RecipientsBody = Type.Object({ who: Type.String(), addresses: Type.String() });

export const reportSettingsPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    server.get(
      '/settings/report',
      { schema: { hide: true, querystring: DoneQuery }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        return showReportSettings(dependencies, reply, person, { done: request.query.done });
      },
    );

    server.post(
      '/settings/report',
      { schema: { hide: true, body: RecipientsBody }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const form = request.body;
        const changing = await attempt(async () => {
          const change = checkForm(request, RecipientsChange, toRecipientsChange(form), explainRecipients(form));
          return dependencies.teams.team.change(person.team.id, actorOf(request), change);
        });
        if (changing.ok)
          return reply.redirect(`/settings/report?done=${form.who === 'listed' ? 'listed' : 'admins'}`, 303);
        return showReportSettings(dependencies, reply, person, { form, problem: changing.problem });
      },
    );
  };
