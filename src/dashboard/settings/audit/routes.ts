import type { Routes } from '../../../http/index.ts';
import { Type } from '../../../platform/index.ts';
import { listAudit, listUsers } from '../../../teams/index.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { PAGE } from '../../page-route.ts';
import { loadPerson } from '../../person.ts';
import { showPage } from '../../show-page.ts';
import { memberName } from '../members/member-name.ts';
import { auditPage } from './audit-page.ts';

const PER_PAGE = 50;

export const auditPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    server.get(
      '/settings/audit',
      {
        schema: { hide: true, querystring: Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 200 })) }) },
        config: PAGE,
      },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { id: teamId } = person.team;
        const { cursor } = request.query;
        const { events, nextCursor } = await listAudit(dependencies, teamId, { limit: PER_PAGE, cursor });
        const members = await listUsers(dependencies.database, teamId);
        const names = new Map(members.map((member) => [member.id, memberName(member)]));
        const page = auditPage(person, { events, names, nextCursor, isFirst: cursor === undefined });
        return showPage(reply, person, 'settings', page);
      },
    );
  };
