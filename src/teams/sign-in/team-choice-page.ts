import type { Page } from '../../http/index.ts';
import { html } from '../../platform/index.ts';
import type { Membership } from '../records/membership-store.ts';

/** After signing in, for someone in several teams. */
export const teamChoicePage = (memberships: readonly Membership[], action: string, csrfToken: string): Page => ({
  title: 'Choose a team',
  content: html`<form method="post" action="${action}"><input type="hidden" name="_csrf" value="${csrfToken}">
${memberships.map(
  ({ teamId, teamName, invited }) =>
    html`<p><button class="plain" name="team" value="${teamId}">${teamName}</button>${invited ? html` <span class="quiet">Invitation</span>` : ''}</p>`,
)}</form>
<p class="quiet">You can switch teams on any page.</p>`,
});
