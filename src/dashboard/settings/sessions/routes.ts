import { callerOf, type Routes } from '../../../http/index.ts';
import { Type } from '../../../platform/index.ts';
import { actorOf, sessionUnknown } from '../../../teams/index.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { doneNotice } from '../../notice.ts';
import { PAGE } from '../../page-route.ts';
import { loadPerson } from '../../person.ts';
import { showPage } from '../../show-page.ts';
import { ListQuery } from '../list-query.ts';
import { sessionsPage } from './sessions-page.ts';

const DONE = { ended: 'Session ended.', 'others-ended': 'All other sessions ended.' };

export const sessionPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    server.get(
      '/settings/sessions',
      { schema: { hide: true, querystring: ListQuery }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const caller = callerOf(request);
        const sessions = await dependencies.teams.sessions.list(caller, request.query);
        const notice = doneNotice(DONE, request.query.done);
        const page = sessionsPage(person, {
          sessions,
          cursor: request.query.cursor,
          currentId: caller.sessionId,
          notice,
        });
        return showPage(reply, person, 'settings', page);
      },
    );

    server.post(
      '/settings/sessions/:id/end',
      { schema: { hide: true, params: Type.Object({ id: Type.String() }) }, config: PAGE },
      async (request, reply) => {
        await loadPerson(dependencies, request);
        const ended = await dependencies.teams.sessions.end(callerOf(request), actorOf(request), request.params.id);
        if (!ended) throw sessionUnknown();
        return reply.redirect('/settings/sessions?done=ended', 303);
      },
    );

    server.post('/settings/sessions/end-others', { schema: { hide: true }, config: PAGE }, async (request, reply) => {
      await loadPerson(dependencies, request);
      await dependencies.teams.sessions.endOthers(callerOf(request), actorOf(request));
      return reply.redirect('/settings/sessions?done=others-ended', 303);
    });
  };
