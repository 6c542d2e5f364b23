import type { Page } from '../http/index.ts';
import { html } from '../platform/index.ts';

export type HomeView = { who: string; team: string; role: string; csrfToken: string };

export const homePage = ({ who, team, role, csrfToken }: HomeView): Page => ({
  title: team,
  content: html`<dl><dt>You are</dt><dd>${who}</dd><dt>Role</dt><dd>${role}</dd></dl>
<p>Everything here is an API first: <a href="/docs">browse and try it</a>. Make yourself an access token under <code>POST /api/tokens</code>.</p>
<form method="post" action="/sign-out"><input type="hidden" name="_csrf" value="${csrfToken}"><button class="plain">Sign out</button></form>`,
});
