import type { Routes } from '../../../http/index.ts';
import { PageQuery } from '../../../platform/index.ts';
import { listUserNames } from '../../../teams/index.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { PAGE } from '../../page-route.ts';
import { loadPerson } from '../../person.ts';
import { showPage } from '../../show-page.ts';
import { memberName } from '../members/member-name.ts';
import { auditPage } from './audit-page.ts';

export const auditPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    server.get(
      '/settings/audit',
      {
        schema: { hide: true, querystring: PageQuery },
        config: PAGE,
      },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { id: teamId } = person.team;
        const { cursor } = request.query;
        const { rows: events, nextCursor } = await dependencies.teams.audit.list(teamId, request.query);
        const ids = new Set(events.flatMap(({ actorId, target }) => [actorId, target]).filter((id) => id !== null));
        const members = await listUserNames(dependencies.database, teamId, [...ids]);
        const names = new Map(members.map((member) => [member.id, memberName(member)]));
        const page = auditPage(person, { events, names, cursor, nextCursor });
        return showPage(reply, person, 'settings', page);
      },
    );
  };
