import type { Page } from '../../../http/index.ts';
import { html } from '../../../platform/index.ts';
import type { AccessToken, MadeToken } from '../../../teams/index.ts';
import { postForm } from '../../form.ts';
import { moment, momentOrDash } from '../../moment.ts';
import type { Person } from '../../person.ts';
import { settingsTabs } from '../settings-tabs.ts';

/** The only time the token is shown, with a command that works as is. */
export const tokenPage = (person: Person, { name, token, expiresAt }: MadeToken, url: string): Page => ({
  title: 'Your access token',
  content: html`${settingsTabs(person, 'tokens')}
<div class="sheet"><p>“${name}” works until ${moment(expiresAt, person.team.timeZone)}. Copy it now. It won't be shown again.</p>
<pre class="copy"><code>${token}</code></pre>
<p>Try it in a terminal:</p>
<pre class="copy"><code>curl -H 'Authorization: Bearer ${token}' ${url}/api/team</code></pre>
<p><a href="/settings/tokens">Back to access tokens</a> · <a href="/docs">Browse the API</a></p></div>`,
});

export const revokeTokenPage = (person: Person, token: AccessToken): Page => ({
  title: `Revoke “${token.name}”?`,
  content: html`${settingsTabs(person, 'tokens')}
<div class="sheet"><p>Anything that uses it will be refused from then on. This can't be undone.</p>
<dl><dt>Owner</dt><dd>${token.userEmail ?? 'a member'}</dd>
<dt>Created</dt><dd>${moment(token.createdAt, person.team.timeZone)}</dd>
<dt>Last used</dt><dd>${momentOrDash(token.usedAt, person.team.timeZone)}</dd></dl>
<div class="row">${postForm({
    action: `/settings/tokens/${token.id}/revoke`,
    csrfToken: person.csrfToken,
    button: 'Revoke token',
    kind: 'danger',
  })}<a class="button plain" href="/settings/tokens">Cancel</a></div></div>`,
});
