import { ByPageId, type PageRoutes } from '../pages.ts';
import { loadRequest, loadRequests } from './load-requests.ts';
import { EnteredRequestFilter } from './request-filter.ts';
import { requestPage } from './request-page.ts';
import { requestsPage } from './requests-page.ts';

/** Pages of the request log. Like in the API, they are for admins. */
export const requestPageRoutes: PageRoutes = ({ page }, context) => {
  page('/requests', { access: 'admin', query: EnteredRequestFilter }, async ({ person, query }) =>
    requestsPage(person, { ...(await loadRequests(context, person, query)), url: context.url }),
  );

  page('/requests/:id', { access: 'admin', params: ByPageId }, async ({ person, params: { id } }) =>
    requestPage(person, await loadRequest(context, person, id)),
  );
};
