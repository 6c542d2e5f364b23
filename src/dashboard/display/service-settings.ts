import { type Html, html } from '../../platform/index.ts';
import { state } from '../parts.ts';

/** Where a setting of the service is set, for an admin who runs it themselves. */
export const WHERE_SETTINGS_ARE = html`Settings like this go into the file <code>.env</code> where Patchbay is installed, and count after a restart. <code>docs/settings.md</code> there explains each of them.`;

/** Without a mail server. `meanwhile` is what works without one. */
export const mailMissing = (meanwhile: Html | null = null): Html =>
  html`<p>${state('warn', html`Email isn't set up`)}</p>
<p class="quiet">It needs a mail server: set <code>SMTP_URL</code> and <code>MAIL_FROM</code>, or ask the person who runs Patchbay to. ${WHERE_SETTINGS_ARE}${meanwhile && html` ${meanwhile}`}</p>`;
