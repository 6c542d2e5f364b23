import { type Html, html } from '../../platform/index.ts';
import { card } from '../display/card.ts';
import { postForm } from '../form.ts';
import type { Person } from '../person.ts';
import type { Overview } from './load-overview.ts';

type Step = { name: string; isDone: boolean; href: string; action: string };

const stepsOf = ({ setUp, connections }: Overview): Step[] =>
  setUp === null
    ? []
    : [
        { name: 'Connect an account', isDone: connections.length > 0, href: '/integrations', action: 'Choose one' },
        { name: 'Add a phone number', isDone: setUp.hasNumber, href: '/settings/telephony', action: 'Add' },
        { name: 'Invite a teammate', isDone: setUp.hasColleague, href: '/settings/members', action: 'Invite' },
        {
          name: 'Choose who gets the weekly report',
          isDone: setUp.hasRecipients,
          href: '/settings/report',
          action: 'Choose',
        },
      ];

const item = ({ name, isDone, href, action }: Step): Html =>
  isDone
    ? html`<li class="done"><span>${name}<span class="unseen">, done</span></span></li>`
    : html`<li><span>${name}</span><a class="button plain" href="${href}">${action}<span class="unseen">: ${name}</span></a></li>`;

/** How to get started. Each step ticks itself off. With the last one, or once an admin dismisses it, the list is gone. */
export const checklistSection = (person: Person, overview: Overview): Html | null => {
  const steps = stepsOf(overview);
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  return card({
    title: 'Get started',
    beside: html`<span class="quiet">${done} of ${steps.length}</span>`,
    content: html`<ul class="checklist">${steps.map(item)}</ul>
${postForm(person, { action: '/checklist/dismiss', button: 'Dismiss this list', kind: 'plain' })}`,
  });
};
