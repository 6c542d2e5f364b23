import { html } from '../../platform/index.ts';
import { card } from '../display/card.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import { addAgentSection } from './add-agent-section.ts';
import { agentsSection } from './agents-section.ts';
import { deedsSection } from './deeds-section.ts';
import type { AgentsView } from './load-agents.ts';

const forAdmins = card({
  title: 'What they did',
  content: html`<p class="quiet">Only admins can see what agents requested.</p>`,
});

/** Agents: how to let one in, which there are, and what they did. */
export const agentsPage = (person: Person, view: AgentsView): DashboardPage => ({
  title: 'Agents',
  content: html`<p class="lead">Let an assistant use your team's connected accounts. It never sees their passwords or keys, and it can do only what you choose.</p>
<div class="agents-page">${addAgentSection(person, view)}
${agentsSection(person, view)}
${view.deeds ? deedsSection(person, view.deeds) : forAdmins}</div>`,
});
