import type { Page } from '../../../http/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { postForm } from '../../form.ts';
import type { Entry } from '../entry.ts';

type RemoveQuestion = { entry: Entry; operatorHasClient: boolean; csrfToken: string };

const afterwards = (name: string, operatorHasClient: boolean): Html =>
  operatorHasClient
    ? html`<li>Your team will then use the OAuth app that your administrator set up for all teams.</li>`
    : html`<li>Your team then can't connect ${name} until you add an OAuth app again.</li>`;

export const removeClientPage = ({
  entry: { id, name, connection },
  operatorHasClient,
  csrfToken,
}: RemoveQuestion): Page => ({
  title: `Remove your team's OAuth app at ${name}?`,
  content: html`<div class="sheet asks"><ul><li>Its client ID and secret are deleted.</li>
${afterwards(name, operatorHasClient)}
${connection && html`<li>The connection stays, but if it was made with this app, it can't be refreshed anymore. Disconnect it first, or reconnect it afterward.</li>`}</ul>
<div class="integration-actions">${postForm({ action: `/integrations/${id}/credentials/remove`, csrfToken, button: 'Remove OAuth app', kind: 'danger' })}<a class="button plain" href="/integrations/${id}">Cancel</a></div></div>`,
});
