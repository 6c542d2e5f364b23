import { type Html, html, PageQuery, Type } from '../../../platform/index.ts';
import { type Session, sessionUnknown } from '../../../teams/index.ts';
import { moment, momentInText } from '../../display/moment.ts';
import { pill } from '../../display/pill.ts';
import { checkBox, postForm } from '../../form.ts';
import { ByPageId, type PageRoutes } from '../../pages.ts';
import { pageSteps, table } from '../../parts.ts';
import type { Person } from '../../person.ts';

const DEVICE_UNKNOWN = 'Unknown device';

const row = (person: Person, session: Session, currentId: string | undefined): Html => {
  const { region, otherTeams } = person;
  const { id, createdAt, usedAt, expiresAt } = session;
  const device = session.device ?? DEVICE_UNKNOWN;
  const end = postForm(person, {
    action: `/settings/sessions/${id}/end`,
    button: html`End<span class="unseen"> the session on ${device} from ${momentInText(createdAt, region)}</span>`,
    kind: 'plain',
  });
  const isCurrent = id === currentId;
  const lastUsed = isCurrent ? 'Now' : usedAt === null ? '–' : moment(usedAt, region);
  return html`<tr><th scope="row">${device}${isCurrent && html` ${pill('good', 'This device')}`}${session.handedBy !== null && html`<span class="under">With a link that ${session.handedBy} made</span>`}</th><td data-label="Last used">${lastUsed}</td><td data-label="Signed in">${moment(createdAt, region)}</td><td data-label="Expires">${moment(expiresAt, region)}</td>${otherTeams.length > 0 && html`<td data-label="Team">${session.team}</td>`}
<td class="action">${!isCurrent && end}</td></tr>
`;
};

/** For everyone: a person who is a member here can be an admin, and make sign-in links, in another of their teams. */
const LINKS_BOX = checkBox({
  name: 'links',
  label: 'Also end what began with sign-in links that were made in your name',
  checked: true,
  hint: 'Somebody with your device could have made links as an admin, and opened them. People who signed in with a link of yours need a new one.',
});

const endOthers = (person: Person): Html =>
  html`<section class="sheet"><h2>Lost a device?</h2>
<p>This ends every session except this one immediately, and sign-in links that you asked for and haven't used. Your access tokens keep working, people who were invited in your name can still sign in, and changed settings stay. Check <a href="/settings/tokens">Access tokens</a>, <a href="/settings/members">Members</a>, and the <a href="/settings/audit">Audit log</a>.</p>
${postForm(person, { action: '/settings/sessions/end-others', content: LINKS_BOX, button: 'End all other sessions', kind: 'danger' })}</section>`;

export const sessionPageRoutes: PageRoutes = ({ page, form }, { teams: { sessions } }) => {
  const done = { ended: 'Session ended.', 'others-ended': 'All other sessions ended.' };

  page('/settings/sessions', { access: 'member', query: PageQuery, done }, async ({ person, caller, query }) => {
    const { cursor } = query;
    const { rows, nextCursor } = await sessions.list(caller, query);
    const list = table({
      label: 'Your sessions',
      kind: 'stack',
      heads: ['Device', 'Last used', 'Signed in', 'Expires', person.otherTeams.length > 0 && 'Team', null],
      rows: rows.map((session) => row(person, session, caller.sessionId)),
    });
    return {
      title: 'Sessions',
      content: html`<p class="lead">Where you're signed in to Patchbay. You only see your own sessions. If you don't recognize one, end it.</p>
${list}
${pageSteps({ path: '/settings/sessions', cursor, nextCursor })}
${endOthers(person)}`,
    };
  });

  form('/settings/sessions/:id/end', { access: 'member', params: ByPageId }, async ({ caller, actor, params }) => {
    if (!(await sessions.end(caller, actor, params.id))) throw sessionUnknown();
    return '/settings/sessions?done=ended';
  });

  const body = Type.Object({ links: Type.Optional(Type.String()) });
  form('/settings/sessions/end-others', { access: 'member', body }, async ({ caller, actor, body: { links } }) => {
    await sessions.endOthers(caller, actor, { links: links !== undefined });
    return '/settings/sessions?done=others-ended';
  });
};
