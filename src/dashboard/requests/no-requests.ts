import { DEFAULT_CONNECTION } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { copyBlock } from '../display/copy-button.ts';
import type { RequestsView } from './load-requests.ts';
import { isNarrowed, requestsAddress, subjectOf } from './request-filter.ts';

/** How to make a request with a connection: in a terminal, and with the client. */
const howTo = ({ query, providers, url }: RequestsView): Html => {
  const { provider = '<provider>', connection = DEFAULT_CONNECTION } = query;
  const api = providers.get(provider)?.api;
  const isNamed = connection !== DEFAULT_CONNECTION;
  const address = `${url}/api/integrations/${provider}/proxy/<path>${isNamed ? `?connection=${connection}` : ''}`;
  return html`<p>Programs call the provider's API through Patchbay, with an admin's <a href="/settings/tokens">access token</a>. Patchbay adds the credential${api && html`, and appends the path to <code>${api.url}</code>`}.</p>
${copyBlock('command', `curl -H "Authorization: Bearer $TOKEN" '${address}'`)}
<p>With <code>@patchbay/client</code>:</p>
${copyBlock('code', `await patchbay.fetch('${provider}', '/<path>'${isNamed ? `, { connection: '${connection}' }` : ''})`)}`;
};

const nothingYet = (view: RequestsView): Html => {
  const { query, providers } = view;
  const provider = providers.get(query.provider ?? '');
  return html`<section class="empty no-requests"><h2>${query.by ? 'No requests in the last seven days' : 'Nothing requested in the last seven days'}</h2>
${
  provider && !provider.api
    ? html`<p>Patchbay doesn't know the API of ${provider.name}, so requests can't go through it. If an access token is handed out to a program, it's listed here.</p>`
    : howTo(view)
}</section>`;
};

/** What is shown instead of an empty list, and what to do then. */
export const noRequests = (view: RequestsView): Html => {
  const { query, nextCursor } = view;
  if (nextCursor !== null)
    return html`<p class="empty">Nothing found so far. Older requests haven't been searched yet.</p>`;
  if (query.cursor) return html`<p class="empty">No older requests.</p>`;
  return isNarrowed(query)
    ? html`<p class="empty">No matching requests in the last seven days. <a href="${requestsAddress(subjectOf(query))}">Show all</a></p>`
    : nothingYet(view);
};
