import { sendCsv } from '../../../http/index.ts';
import type { ListPage } from '../../../platform/index.ts';
import type { ListedEvent } from '../../../teams/index.ts';
import { problemNotice } from '../../notice.ts';
import type { PageRoutes } from '../../pages.ts';
import { loadPeople } from '../../people.ts';
import type { Person } from '../../person.ts';
import { refusalOf } from '../../refusal-of.ts';
import { memberName } from '../members/members-page.ts';
import { createAuditFile, peopleIn } from './audit-file.ts';
import { EnteredAuditFilter, toAuditQuery } from './audit-filter.ts';
import { auditPage } from './audit-page.ts';
import { auditFilterForm } from './filter-form.ts';

/** How many members the filter lists. The others are chosen by their names in the log. */
const MOST_MEMBERS = 100;

export const auditPageRoutes: PageRoutes = ({ page }, context) => {
  const { database, teams } = context;
  const show = async (person: Person, entered: EnteredAuditFilter, listed: ListPage<ListedEvent> | null) => {
    const { id: teamId } = person.team;
    const people = await loadPeople(context, teamId, [...peopleIn(listed?.rows ?? []), entered.who ?? null]);
    const members = await teams.members.list(teamId, { limit: MOST_MEMBERS });
    const form = auditFilterForm({
      entered,
      members: members.rows.map((member) => ({ value: member.id, label: memberName(member) })),
      hasMore: members.nextCursor !== null,
      chosenName: people.names.get(entered.who ?? ''),
    });
    return auditPage(person, { entered, listed, people, form });
  };

  page('/settings/audit', { access: 'member', query: EnteredAuditFilter }, async ({ person, query }) => {
    const { team, role } = person;
    const { limit, cursor } = query;
    const found: ListPage<ListedEvent>[] = [];
    const problem = await refusalOf(async () => {
      const filter = toAuditQuery(query, team.timeZone);
      found.push(await teams.audit.list({ teamId: team.id, role }, { limit, cursor, ...filter }));
    });
    const shown = await show(person, query, found[0] ?? null);
    return problem === null ? shown : { ...shown, notice: problemNotice(problem), status: problem.status };
  });

  page(
    '/settings/audit.csv',
    { access: 'member', query: EnteredAuditFilter },
    async ({ person, caller, query, reply }) => {
      const filter = toAuditQuery(query, person.team.timeZone);
      return sendCsv(reply, 'audit-log', await teams.audit.writeCsv(caller, filter, createAuditFile(database, person)));
    },
  );
};
