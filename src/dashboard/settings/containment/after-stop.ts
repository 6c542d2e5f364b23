import type { ContainmentView } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { auditAddress } from '../audit/audit-filter.ts';

/** The list of who began which containment. */
export const BEGUN_IN_AUDIT = auditAddress({ what: 'containment.start' });

/** What to do once something is stopped. */
export const nextSteps = (): Html => html`<section class="sheet unprinted"><h2>What to do next</h2><ul>
<li><a href="/settings/sessions">Sessions</a>: browser sessions go on. End those of a lost device.</li>
<li><a href="/settings/members">Members</a>: remove whoever shouldn’t be in the team. That ends their sessions and access tokens.</li>
<li><a href="/settings/tokens">Access tokens</a>: revoke those in the wrong hands, and those that nobody knows.</li>
<li><a href="/settings/audit">Audit log</a>: see what was done, and by whom.</li>
</ul></section>`;

/** The files about a containment, and what they contain. */
export const filesSection = (
  path: string,
  { revoke, stopsConnections }: Pick<ContainmentView, 'revoke' | 'stopsConnections'>,
): Html =>
  html`<section class="sheet unprinted"><h2>Files</h2><ul>
<li><a href="${path}/connections.csv" download>Connections</a>: ${stopsConnections ? 'what was stopped' : 'what the token was used with'}${revoke && ', and what became of its access at the provider'}.</li>
<li><a href="${path}/exposure.csv" download>Who could have had access</a>: ${stopsConnections ? 'everybody who used these connections or got an access token of a provider' : 'how often the token used them or got an access token of a provider'}, each with the first and the last time.</li>
</ul><p class="quiet">In the second file, <code>how</code> is <code>handed_out</code> (got a provider’s access token; nobody knows what was done with it), <code>requests</code> (made requests in the last 7 days), or <code>requests_by_hour</code> (made more requests in the last 90 days, by access token and hour). Only what was before the stop counts. Neither file contains secrets.</p></section>`;
