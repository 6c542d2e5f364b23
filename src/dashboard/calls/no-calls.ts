import { type Html, html } from '../../platform/index.ts';
import { postForm } from '../form.ts';
import type { Person } from '../person.ts';

/** Outside production: a call without a phone. */
export const demoForm = ({ csrfToken, role }: Person, hasDemo: boolean, kind?: 'plain'): Html | null =>
  hasDemo && role === 'admin'
    ? postForm({ action: '/calls/demo', csrfToken, button: 'Play a demo call', ...(kind && { kind }) })
    : null;

/** For a team without calls: how to get the first one. */
export const noCalls = (person: Person, hasDemo: boolean): Html =>
  html`<section class="empty no-calls">
<h2>No calls yet</h2>
<p>Calls show up here as they ring. To get started:</p>
<ol>
<li><strong>Add your telephony account</strong> so that Patchbay recognizes your provider's requests.</li>
<li><strong>Add a number</strong> that people call, and choose how it's answered.</li>
<li><strong>Paste the webhook URLs</strong> from the account's page into your provider's settings.</li>
</ol>
${
  person.role === 'admin'
    ? html`<div class="no-calls-actions"><a class="button" href="/settings/telephony">Set up telephony</a>${demoForm(person, hasDemo, 'plain')}</div>`
    : html`<p class="quiet">A team admin can do this under Settings.</p>`
}
</section>`;
