import { type Html, html } from '../../platform/index.ts';
import { postForm } from '../form.ts';
import type { Person } from '../person.ts';

/** Outside production: a call without a phone. */
export const demoForm = ({ csrfToken, role }: Person, hasDemo: boolean, kind?: 'plain'): Html | null =>
  hasDemo && role === 'admin'
    ? postForm({ action: '/calls/demo', csrfToken, button: 'Play a demo call', ...(kind && { kind }) })
    : null;

/** The list of a team that nobody has called yet: what to do, so that somebody can. */
export const noCalls = (person: Person, hasDemo: boolean): Html =>
  html`<section class="empty no-calls">
<h2>No call yet</h2>
<p>Calls show up here by themselves, as they ring. Three steps lead there:</p>
<ol>
<li><strong>Add your telephony account.</strong> What its provider sends is then recognized as yours.</li>
<li><strong>Add a number</strong> that people call, and say how it is answered.</li>
<li><strong>Paste the addresses</strong> that the account shows at your provider.</li>
</ol>
${
  person.role === 'admin'
    ? html`<div class="no-calls-actions"><a class="button" href="/settings/telephony">Set up telephony</a>${demoForm(person, hasDemo, 'plain')}</div>`
    : html`<p class="quiet">An admin of your team can do that, under Settings.</p>`
}
</section>`;
