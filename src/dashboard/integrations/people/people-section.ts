import { connectionTitle, type ListedProvider, type PeopleView } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import type { CallLogs } from '../../../telephony/index.ts';
import { moment } from '../../display/moment.ts';
import { checkBox, postForm } from '../../form.ts';
import { factList } from '../../parts.ts';
import type { Person } from '../../person.ts';

/** A connection with what is turned on for it, and the calls that aren't logged. */
export type ShownPeople = { state: PeopleView; log: CallLogs | null };

type PeopleSectionView = { provider: ListedProvider; people: readonly ShownPeople[] };

export const peoplePath = ({ provider, connection }: Pick<PeopleView, 'provider' | 'connection'>): string =>
  `/integrations/${provider}/connections/${encodeURIComponent(connection)}/people`;

const momentOf = (at: string | null, { region }: Person): Html | null =>
  at === null ? null : moment(Date.parse(at), region);

const facts = (person: Person, { state }: ShownPeople): Html => {
  const { problem, pausedUntil } = state;
  return factList([
    ['Last found', state.lookup && (momentOf(state.lastFoundAt, person) ?? 'Nobody yet')],
    ['No contact had the number', momentOf(state.lastNoMatchAt, person)],
    [
      'Several contacts had the number',
      state.lastSeveralAt !== null &&
        html`${momentOf(state.lastSeveralAt, person)}. Calls from it show no name, because it could be the wrong one.`,
    ],
    ['Problem', problem !== null && html`${problem.message} ${momentOf(problem.at, person)}`],
    ['Asked again', momentOf(pausedUntil, person)],
  ]);
};

const WORDS = { waiting: 'Waits', refused: 'Refused', unclear: 'Unclear', logged: 'Logged' } as const;

const unlogged = (person: Person, { state, log }: ShownPeople): Html | null => {
  if (!log) return null;
  const { counts, calls } = log;
  const rows = calls.map(
    ({ id, url, state: now, problem, since }) =>
      html`<li><a href="${new URL(url).pathname}">Call</a>, ${momentOf(since, person)}: ${WORDS[now]}. ${problem}${
        person.role === 'admin' &&
        postForm(person, { action: `${peoplePath(state)}/calls/${id}/retry`, button: 'Try again', kind: 'plain' })
      }</li>`,
  );
  return html`<p class="quiet">${counts.logged} logged, ${counts.waiting} waiting, ${counts.refused} refused, ${counts.unclear} unclear</p>${
    rows.length > 0 && html`<h3>Calls that aren't logged</h3><ul class="unlogged">${rows}</ul>`
  }`;
};

const settings = (person: Person, { state }: ShownPeople): Html => {
  const { lookup, log, supports, needs } = state;
  if (person.role !== 'admin')
    return html`<p>Callers ${lookup ? 'are' : "aren't"} looked up, and calls ${log ? 'are' : "aren't"} logged.</p>`;
  const hintOf = (what: string | null): { hint?: string } => (what === null ? {} : { hint: `Needs ${what}.` });
  return postForm(person, {
    action: peoplePath(state),
    content: html`${checkBox({ name: 'lookup', label: 'Show the names of callers', checked: lookup, ...hintOf(needs.lookup) })}${
      supports.log &&
      checkBox({ name: 'log', label: 'Log calls that end from now on', checked: log, ...hintOf(needs.log) })
    }`,
    button: 'Save',
  });
};

/** Shows whether callers are looked up, and calls logged, at a CRM, and how that goes. */
export const peopleSection = (person: Person, { provider, people }: PeopleSectionView): Html | null =>
  people.length === 0
    ? null
    : html`<section class="card set-up" id="people"><h2>Callers and calls</h2>
<p>Patchbay can look up who calls in ${provider.name}, and show the name with the call.</p>
${people.map(
  (shown) =>
    html`${people.length > 1 && html`<h3>${connectionTitle({ name: provider.name, connection: shown.state.connection })}</h3>`}${settings(person, shown)}${facts(person, shown)}${unlogged(person, shown)}`,
)}</section>`;
