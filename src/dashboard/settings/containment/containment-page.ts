import type { ContainedView, ContainmentDetails } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { exactMoment } from '../../display/moment.ts';
import { showText } from '../../display/shown-text.ts';
import type { DashboardPage } from '../../frame.ts';
import { factList, pageSteps, table } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { BEGUN_IN_AUDIT, filesSection, nextSteps } from './after-stop.ts';
import { CONTAINMENT, containmentState, containmentTitle, describeWhat, grantState } from './containment-words.ts';
import { tokenUseWords } from './token-use-words.ts';

type ContainmentPageView = {
  details: ContainmentDetails;
  cursor: string | undefined;
  names: ReadonlyMap<string, string>;
};

const at = (time: string | null, { region }: Person): Html | false =>
  time !== null && exactMoment(Date.parse(time), region);

const row = (one: ContainedView, { details, names }: ContainmentPageView, person: Person): Html => {
  const { provider, connection, account, where } = one;
  const name = names.get(provider) ?? provider;
  return html`<tr><th scope="row">${name}${connection !== 'default' && html` <span class="quiet">${connection}</span>`}<span class="under">${showText(account.label ?? account.id ?? 'Unknown account')}</span></th>
<td data-label="Access">${grantState(one, details)}${where !== null && html`<span class="under">${where}</span>`}</td><td data-label="Since">${at(one.at, person)}</td></tr>
`;
};

const noConnections = ({ listing, stopsConnections }: ContainmentDetails): string => {
  if (listing) return 'The list of its connections is being made. Reload this page in a few seconds.';
  return stopsConnections ? 'No connection is concerned.' : 'It was used with no connection that’s still there.';
};

const connectionsTable = (person: Person, view: ContainmentPageView): Html => {
  const { details } = view;
  return html`${!details.stopsConnections && html`<p>${tokenUseWords(details)}</p>\n`}${
    details.connections.length === 0
      ? html`<p class="quiet">${noConnections(details)}</p>`
      : table({
          label: details.stopsConnections ? 'Connections' : 'What it was used with',
          kind: 'stack',
          heads: ['Connection', 'Access', 'Since'],
          rows: details.connections.map((one) => row(one, view, person)),
        })
  }`;
};

/** What became of everything that a containment stopped. Made to be printed, too. */
export const containmentPage = (person: Person, view: ContainmentPageView): DashboardPage => {
  const { details, cursor, names } = view;
  const { id, by, reason, revoke, nextCursor, startedAt, finishedAt, liftedAt } = details;
  const path = `${CONTAINMENT.path}/${id}`;
  const title = containmentTitle(details);
  const isInForce = liftedAt === null;
  return {
    title,
    content: html`${factList([
      ['Team', person.team.name],
      ['State', containmentState(details)],
      ['What', describeWhat(details, names, person.region)],
      ['What happened', title !== reason && showText(reason)],
      [
        'Stopped',
        html`${at(startedAt, person)}${by === 'operator' && ' by the operator, who alone can lift it'}<span class="unprinted"> (<a href="${BEGUN_IN_AUDIT}">by whom</a>)</span>`,
      ],
      ['Finished', at(finishedAt, person)],
      ['Lifted', at(liftedAt, person)],
    ])}
${connectionsTable(person, view)}
${pageSteps({ path, cursor, nextCursor, words: { first: 'First', next: 'More' } })}
${
  isInForce &&
  html`<div class="row unprinted">${!revoke && html`<a class="button plain" href="${path}/revoke">Also end access at the providers…</a>`}${by === 'team' && html`<a class="button plain" href="${path}/lift">Lift…</a>`}</div>
${nextSteps()}`
}
${filesSection(path, details)}`,
  };
};
