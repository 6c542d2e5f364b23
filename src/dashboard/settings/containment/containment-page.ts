import type { ContainedView, ContainmentDetails } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { moment, momentOrDash } from '../../display/moment.ts';
import { showText } from '../../display/shown-text.ts';
import { postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { factList, pageSteps, table } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { CONTAINMENT, containmentState, describeWhat, grantState } from './containment-words.ts';

type ContainmentPageView = {
  details: ContainmentDetails;
  cursor: string | undefined;
  names: ReadonlyMap<string, string>;
};

const row = (one: ContainedView, { names }: ContainmentPageView, { region }: Person): Html => {
  const { provider, connection, account, at, where } = one;
  const name = names.get(provider) ?? provider;
  return html`<tr><th scope="row">${name}${connection !== 'default' && html` <span class="quiet">${connection}</span>`}<span class="under">${showText(account.label ?? account.id ?? 'Unknown account')}</span></th>
<td data-label="Access">${grantState(one)}${where !== null && html`<span class="under">${where}</span>`}</td><td data-label="Since">${moment(Date.parse(at), region)}</td></tr>
`;
};

/** What became of everything that a containment stopped. Made to be printed, too. */
export const containmentPage = (person: Person, view: ContainmentPageView): DashboardPage => {
  const { details, cursor, names } = view;
  const { id, reason, connections, nextCursor, startedAt, finishedAt, liftedAt, listing } = details;
  const { region } = person;
  const path = `${CONTAINMENT.path}/${id}`;
  const lift = postForm(person, { action: `${path}/lift`, button: 'Lift', kind: 'plain' });
  return {
    title: reason,
    under: [CONTAINMENT],
    content: html`${factList([
      ['State', containmentState(details)],
      ['What', describeWhat(details, names, region)],
      ['Stopped', moment(Date.parse(startedAt), region)],
      ['Finished', details.revoke && momentOrDash(finishedAt === null ? null : Date.parse(finishedAt), region)],
      ['Lifted', liftedAt !== null && moment(Date.parse(liftedAt), region)],
    ])}
${
  connections.length > 0
    ? table({
        label: 'Connections',
        kind: 'stack',
        heads: ['Connection', 'Access', 'Since'],
        rows: connections.map((one) => row(one, view, person)),
      })
    : html`<p class="quiet">${listing ? 'The list of its connections is being made. Reload this page in a few seconds.' : 'No connection is concerned.'}</p>`
}
${pageSteps({ path, cursor, nextCursor, words: { first: 'First', next: 'More' } })}
<div class="row unprinted"><a class="button plain" href="${path}/connections.csv">Download this list</a><a class="button plain" href="${path}/exposure.csv">Download who could have had access</a>${liftedAt === null && lift}</div>`,
  };
};
