import { type Html, html, quoteForShell } from '../../../platform/index.ts';
import type { MadeToken } from '../../../teams/index.ts';
import { copyBlock } from '../../display/copy-button.ts';
import { momentInText } from '../../display/moment.ts';
import type { DashboardPage } from '../../frame.ts';
import type { Person } from '../../person.ts';

const tryIt = (token: string, address: string): Html =>
  html`<p>Try it in a terminal${address.includes('<') && ', with your own values for what is in angle brackets'}:</p>
${copyBlock('command', html`curl -H 'Authorization: Bearer ${token}' ${quoteForShell(address)}`)}`;

/** Shows the token, for the only time. `tryAddress`: the URL of a request that it may send. */
export const madeTokenPage = (
  { region }: Person,
  { name, token, expiresAt }: MadeToken,
  tryAddress: string | null,
): DashboardPage => ({
  title: 'Your access token',
  content: html`<div class="sheet"><p>“${name}” works until ${momentInText(expiresAt, region)}. Copy it now. It won't be shown again.</p>
${copyBlock('token', token)}
${tryAddress !== null && tryIt(token, tryAddress)}
<p><a href="/settings/tokens">Back to access tokens</a> · <a href="/docs">Browse the API</a></p></div>`,
});
