import type { DescribedAlert } from '../../notices/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { momentInText } from '../display/moment.ts';
import { postForm } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import { state } from '../parts.ts';
import type { Person } from '../person.ts';

type AlertsView = {
  alerts: readonly DescribedAlert[];
  hasMore: boolean;
  /** Whether the list includes voicemails and missed calls. */
  listsCalls: boolean;
};

const alertItem = (alert: DescribedAlert, person: Person): Html => {
  const { id, kind, forAdmins, title, detail, nextStep, url, action, openedAt } = alert;
  const { pathname, hash } = new URL(url);
  const isTrouble = kind === 'reconnect' || kind === 'endpoint' || kind === 'backup';
  return html`<li><div><p>${state(isTrouble ? 'bad' : 'warn', html`<strong>${title}</strong>`)}</p>
${detail && html`<p>${detail}</p>`}
<p>${nextStep}</p>
<p class="quiet">Since ${momentInText(openedAt, person.region)}</p></div>
<div class="row"><a class="button" href="${pathname}${hash}">${action}</a>
${(!forAdmins || person.role === 'admin') && postForm(person, { action: `/alerts/${id}/dismiss`, button: html`Dismiss<span class="unseen">: ${title}</span>`, kind: 'plain' })}</div></li>
`;
};

const nothing = (listsCalls: boolean): Html => html`<section class="empty">
<p>${state('good', 'Nothing is open.')}</p>
<p>What your team has chosen is listed here until it's resolved, such as a connection that needs to be reconnected, an endpoint that Patchbay has stopped sending events to, or, for admins, a request that waits for an approval. The bell at the top of every page shows how many are open.</p>
<p>${listsCalls ? 'Voicemails and missed calls are listed, too.' : 'Voicemails and missed calls can be listed, too.'} <a href="/settings/alerts">Choose what to be told about</a></p>
</section>`;

export const alertsPage = (person: Person, { alerts, hasMore, listsCalls }: AlertsView): DashboardPage => ({
  title: 'Alerts',
  content:
    alerts.length === 0
      ? nothing(listsCalls)
      : html`<p class="lead">What needs someone's attention, newest first. An alert closes by itself once its cause is resolved, or when you dismiss it.</p>
<ul class="alerts">${alerts.map((alert) => alertItem(alert, person))}</ul>
${hasMore && html`<p>Only the newest ${alerts.length} are shown. There are more.</p>`}
<p class="quiet"><a href="/settings/alerts">Choose what to be told about</a></p>`,
});
