import { readFileSync } from 'node:fs';
import { html } from '../../platform/index.ts';
import { card } from '../display/card.ts';
import { choice, field, postForm } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import { zoneOptions } from '../settings/team/zone-options.ts';
import { demoOffer } from './demo-offer.ts';
import type { Overview } from './load-overview.ts';

/** The script that suggests the browser's time zone. Without JavaScript, the team's own zone is selected. */
export const WELCOME_SCRIPT = {
  name: 'welcome.js',
  type: 'text/javascript',
  content: readFileSync(new URL('./welcome.js', import.meta.url), 'utf8'),
} as const;

/** Whether the team has no name yet and nothing has happened in it. Its admins see the welcome first. */
export const isNew = ({ setUp, latest, connections, hasAccounts }: Overview): boolean =>
  setUp?.isWelcomed === false && latest.length === 0 && connections.length === 0 && !hasAccounts;

type Basics = { name: string; timeZone: string };

/** Step 1: the name and time zone. `filled` is a form that was refused. The script doesn't replace its time zone. */
export const welcomePage = (person: Person, filled: Basics | null = null): DashboardPage => {
  const { name, timeZone } = filled ?? person.team;
  return {
    title: 'Welcome. What should we call your team?',
    scripts: [WELCOME_SCRIPT.name],
    content: html`<div class="welcome"><p class="lead">You can change both later under Settings. Step 1 of 2</p>
<section class="card"${!filled && html` data-guess`}>${postForm(person, {
      action: '/welcome',
      button: 'Continue',
      content: html`<div class="pair">${field({ name: 'name', label: 'Team name', value: name, required: true })}
${choice({ name: 'timeZone', label: 'Time zone', value: timeZone, options: zoneOptions(timeZone) })}</div>
<p class="hint">Reports, business hours, and times on these pages follow the team's time zone.</p>`,
    })}</section></div>`,
  };
};

const anyOf = new Intl.ListFormat('en-US', { type: 'disjunction' });

/** Step 2: what to try first. `providers` are the names of the telephony providers. */
export const firstStepPage = (
  person: Person,
  { hasDemo, providers }: { hasDemo: boolean; providers: readonly string[] },
): DashboardPage => {
  const kind = hasDemo ? ' plain' : '';
  return {
    title: 'What would you like to do first?',
    content: html`<div class="welcome"><p class="lead">Your team is ${person.team.name}, in the time zone ${person.team.timeZone}. <a href="/settings">Change</a> Step 2 of 2</p>
${hasDemo && demoOffer(person)}
<div class="pair">
${card({
  title: 'Answer real calls',
  content: html`<p class="quiet">You need an account with ${anyOf.format(providers)}.</p>
<p><a class="button${kind}" href="/settings/telephony">Set up a number</a></p>`,
})}
${card({
  title: 'Connect accounts',
  content: html`<p class="quiet">GitHub, HubSpot, Slack, and hundreds more.</p>
<p><a class="button plain" href="/integrations">Choose a provider</a></p>`,
})}</div>
<p class="quiet ways-on"><span>Building a product? <a href="/docs">Start with the API</a>.</span> <a href="/">Skip</a></p></div>`,
  };
};
