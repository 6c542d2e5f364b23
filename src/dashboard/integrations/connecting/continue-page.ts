import { html } from '../../../platform/index.ts';
import type { DashboardPage } from '../../frame.ts';
import { factList } from '../../parts.ts';
import type { Entry } from '../entry.ts';
import { labelOf } from '../label.ts';
import { connectAddress } from './connect-link.ts';

type ContinueView = { entry: Entry; team: string; params: Readonly<Record<string, string>> };

/** Between the form and the provider: what was filled in, and the link that leads there. */
export const continuePage = ({ entry, team, params }: ContinueView): DashboardPage => ({
  title: `Connect ${entry.name}`,
  content: html`<div class="sheet asks"><p>${entry.name} will ask you to let the team <strong>${team}</strong> use your account. Then you'll be sent back here.</p>
${factList(Object.entries(params).map(([param, value]) => [labelOf(param), value]))}
<div class="integration-actions"><a class="button" href="${connectAddress(entry, params)}">Continue to ${entry.name}</a><a class="button plain" href="/integrations/${entry.id}">Edit details</a></div></div>`,
});
