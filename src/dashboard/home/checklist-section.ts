import { type Html, html } from '../../platform/index.ts';
import { card } from '../display/card.ts';
import { postForm } from '../form.ts';
import type { Person } from '../person.ts';
import { demoOffer } from './demo-offer.ts';
import type { Overview } from './load-overview.ts';

type Step = { name: string; why: string; isDone: boolean; href: string; action: string };

const stepsOf = ({ setUp, connections }: Overview): Step[] =>
  setUp === null
    ? []
    : [
        {
          name: 'Connect an account',
          why: 'Patchbay keeps its access fresh, and tells you here when it stops working.',
          isDone: connections.length > 0,
          href: '/integrations',
          action: 'Choose one',
        },
        {
          name: 'Add a phone number',
          why: 'Calls to it show up here as they ring, with their messages and recordings.',
          isDone: setUp.hasNumber,
          href: '/settings/telephony',
          action: 'Add',
        },
        {
          name: 'Invite a teammate',
          why: 'They see the same calls, connections, and reports.',
          isDone: setUp.hasColleague,
          href: '/settings/members',
          action: 'Invite',
        },
        {
          name: 'Choose who gets the weekly report',
          why: 'It sums up the week: who called, who was answered, and who is still waiting.',
          isDone: setUp.hasRecipients,
          href: '/settings/report',
          action: 'Choose',
        },
      ];

const item = ({ name, isDone, href, action }: Step): Html =>
  isDone
    ? html`<li class="done"><span>${name}<span class="unseen">, done</span></span></li>`
    : html`<li><span>${name}</span><a class="button plain" href="${href}">${action}<span class="unseen">: ${name}</span></a></li>`;

/** Whether all steps are done. The caller then dismisses the list, so that it doesn't come back if a step is undone. */
export const isComplete = (overview: Overview): boolean => {
  const steps = stepsOf(overview);
  return steps.length > 0 && steps.every(({ isDone }) => isDone);
};

/**
 * The list of steps to get started. Steps are ticked off automatically. The list disappears when all are done, or when
 * an admin dismisses it.
 */
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

/** Suggests the next step while there are no calls, instead of "all caught up". Null if there is nothing to suggest. */
export const nextStepSection = (person: Person, overview: Overview): Html | null => {
  const { setUp, latest, hidesDemo, hasDemo, hasAccounts } = overview;
  if (setUp === null || latest.length > 0 || hidesDemo) return null;
  if (hasDemo && !hasAccounts) return demoOffer(person);
  const next = stepsOf(overview).find(({ isDone }) => !isDone);
  return next
    ? card({
        title: next.name,
        content: html`<p class="quiet">${next.why}</p>
<p><a class="button" href="${next.href}">${next.action}</a></p>`,
      })
    : null;
};
