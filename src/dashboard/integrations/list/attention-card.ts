import type { SetUp } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { momentInText } from '../../display/moment.ts';
import { pill } from '../../display/pill.ts';
import type { Region } from '../../display/region.ts';
import { linkAgain } from '../connecting/link-again.ts';
import { providerLink, shownAccountName } from '../entry.ts';
import type { LogoOf } from '../logos/logo.ts';
import type { Broken } from './shelves.ts';

/** The card of a connection that has to be reconnected, with the reason and a button. */
export const attentionCard = (
  { entry, connection }: Broken,
  setUp: SetUp | null,
  { logoOf, region }: { logoOf: LogoOf; region: Region },
): Html => {
  const { lastError, troubleSince } = connection;
  const since = troubleSince && html` Since ${momentInText(Date.parse(troubleSince), region)}.`;
  return html`<li class="card integration broken"><div class="integration-title">${logoOf(entry)}<div><h3>${providerLink(entry)}</h3><p class="quiet">${shownAccountName(connection)}</p></div>${pill('bad', 'Reconnect')}</div>
<p class="integration-note">${lastError ?? 'Access has ended.'}${since}</p>
<div class="integration-actions">${linkAgain(entry, setUp, connection)}<a class="button plain" href="/integrations/${entry.id}">Details<span class="unseen"> of ${entry.name}, ${shownAccountName(connection)}</span></a></div></li>
`;
};
