import { type Html, html } from '../../platform/index.ts';
import { state } from '../parts.ts';

/** Explains where to change a setting of the service, for an admin who runs Patchbay themselves. */
export const WHERE_SETTINGS_ARE = html`Settings like this go into the file <code>.env</code> where Patchbay is installed, and count after a restart. <code>docs/settings.md</code> there explains each of them.`;

/** Says that there is no mail server. `meanwhile` says what works without one. */
export const mailMissing = (meanwhile: Html | null = null): Html =>
  html`<p>${state('warn', html`Email isn't set up`)}</p>
<p class="quiet">It needs a mail server: set <code>SMTP_URL</code> and <code>MAIL_FROM</code>, or ask the person who runs Patchbay to. ${WHERE_SETTINGS_ARE}${meanwhile && html` ${meanwhile}`}</p>`;
