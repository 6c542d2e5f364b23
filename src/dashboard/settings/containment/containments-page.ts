import type { ContainmentView } from '../../../integrations/index.ts';
import { type Html, html, type ListPage } from '../../../platform/index.ts';
import { moment } from '../../display/moment.ts';
import { showText } from '../../display/shown-text.ts';
import type { DashboardPage } from '../../frame.ts';
import { pageSteps, table } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { containmentForm, type Stoppable } from './containment-form.ts';
import { CONTAINMENT, containmentState, containmentTitle, describeWhat } from './containment-words.ts';
import type { EnteredContainment } from './entered-containment.ts';

export type ContainmentsPageView = {
  containments: ListPage<ContainmentView>;
  cursor?: string | undefined;
  stoppable: Stoppable;
  names: ReadonlyMap<string, string>;
  entered?: EnteredContainment;
};

const row = (one: ContainmentView, { names }: ContainmentsPageView, { region }: Person): Html =>
  html`<tr><th scope="row"><a href="${CONTAINMENT.path}/${one.id}">${showText(containmentTitle(one))}</a><span class="under">${describeWhat(one, names, region)}${one.by === 'operator' && ' (by the operator)'}</span></th>
<td data-label="State">${containmentState(one)}</td><td data-label="Since">${moment(Date.parse(one.startedAt), region)}</td></tr>
`;

/** What was stopped because it may have leaked, and a form to stop more. */
export const containmentsPage = (person: Person, view: ContainmentsPageView): DashboardPage => {
  const { rows, nextCursor } = view.containments;
  return {
    title: CONTAINMENT.name,
    content: html`<p class="lead">If an account, an access token, or a laptop may be in the wrong hands, stop what it could reach. It takes effect within a second, and can be lifted. Then see who could have had what.</p>
${
  rows.length === 0
    ? view.cursor === undefined && html`<p class="quiet">Nothing is stopped.</p>`
    : table({
        label: 'What was stopped',
        kind: 'stack',
        heads: ['What happened', 'State', 'Since'],
        rows: rows.map((one) => row(one, view, person)),
      })
}
${pageSteps({ path: CONTAINMENT.path, cursor: view.cursor, nextCursor })}
${containmentForm(person, view.stoppable, view.entered)}`,
  };
};
