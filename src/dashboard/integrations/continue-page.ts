import type { Page } from '../../http/index.ts';
import { html } from '../../platform/index.ts';
import { connectAddress } from './connect-link.ts';
import { labelOf } from './label.ts';

type ContinueView = { id: string; name: string; team: string; params: Readonly<Record<string, string>> };

/** Between the form and the provider: what was filled in, and the link that leads there. */
export const continuePage = ({ id, name, team, params }: ContinueView): Page => ({
  title: `Connect ${name}`,
  content: html`<div class="sheet asks"><p>${name} will ask whether the team <strong>${team}</strong> may use your account. Then you come back here.</p>
<dl>${Object.entries(params).map(([param, value]) => html`<dt>${labelOf(param)}</dt><dd>${value}</dd>`)}</dl>
<div class="integration-actions"><a class="button" href="${connectAddress(id, params)}">Continue to ${name}</a><a class="button plain" href="/integrations/${id}">Change this</a></div></div>`,
});
