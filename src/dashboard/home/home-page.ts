import type { Page } from '../../http/index.ts';
import type { Integration } from '../../integrations/index.ts';
import { html } from '../../platform/index.ts';
import type { Person } from '../person.ts';

export type HomeView = { integrations: readonly Integration[] };

export const homePage = ({ team }: Person, { integrations }: HomeView): Page => ({
  title: team.name,
  content: html`<p>${integrations.length} integrations.</p>
<h2>API</h2>
<p>Everything here is an API first. Make yourself <a href="/settings/tokens">an access token</a>, then <a href="/docs">browse and try it</a>: press
“Authorize” there and paste the token.</p>`,
});
