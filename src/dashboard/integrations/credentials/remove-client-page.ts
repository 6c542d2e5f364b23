import type { Page } from '../../../http/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { postForm } from '../../form.ts';
import type { Entry } from '../entry.ts';

type RemoveQuestion = { entry: Entry; operatorHasClient: boolean; csrfToken: string };

const afterwards = (name: string, operatorHasClient: boolean): Html =>
  operatorHasClient
    ? html`<li>From then on, your team connects with the operator's client.</li>`
    : html`<li>From then on, ${name} cannot be connected until a client is given again.</li>`;

export const removeClientPage = ({
  entry: { id, name, connection },
  operatorHasClient,
  csrfToken,
}: RemoveQuestion): Page => ({
  title: `Remove your own client at ${name}?`,
  content: html`<div class="sheet asks"><ul><li>Its id and its secret are erased here.</li>
${afterwards(name, operatorHasClient)}
${connection && html`<li>The connection stays, but it can no longer be refreshed if it was made with this client: disconnect it first, or connect it again afterwards.</li>`}</ul>
<div class="integration-actions">${postForm({ action: `/integrations/${id}/credentials/remove`, csrfToken, button: 'Remove the client', kind: 'danger' })}<a class="button plain" href="/integrations/${id}">Keep it</a></div></div>`,
});
