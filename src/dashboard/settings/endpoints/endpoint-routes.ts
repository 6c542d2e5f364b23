import { shownUrlOf } from '../../../events/index.ts';
import { html, PageQuery } from '../../../platform/index.ts';
import { ByPageId, type PageRoutes } from '../../pages.ts';
import { checkForm } from '../check-form.ts';
import { ENDPOINT_CHANGED } from './endpoint-change-routes.ts';
import { EndpointFormBody, explainEndpoint, NewEndpoint, readEndpointForm } from './endpoint-form.ts';
import { endpointPage } from './endpoint-page.ts';
import { ENDPOINTS, endpointPlace } from './endpoint-state.ts';
import { endpointsForMembers, endpointsPage, NEW_ENDPOINT } from './endpoints-page.ts';
import { loadEndpoint, loadEndpoints, ownerOf } from './load-endpoint.ts';
import { secretPage } from './secret-page.ts';

/** Routes that add, show and delete an endpoint. */
export const endpointRoutes: PageRoutes = ({ page, form, confirm }, context) => {
  const { endpoints } = context.events;

  page(ENDPOINTS, { access: 'member', done: { deleted: 'Endpoint deleted.' } }, async ({ person }) =>
    person.role === 'admin'
      ? endpointsPage(person, { ...(await loadEndpoints(context, person)), form: NEW_ENDPOINT })
      : endpointsForMembers,
  );

  form(
    ENDPOINTS,
    { access: 'admin', body: EndpointFormBody },
    async ({ person, actor, body, request }) => {
      const input = checkForm(request, NewEndpoint, readEndpointForm(body), explainEndpoint);
      const { endpoint, secret } = await endpoints.create(ownerOf(person), actor, { ...input, isOnly: true });
      return secretPage(person, { id: endpoint.id, secret });
    },
    async ({ person, body }) =>
      endpointsPage(person, { ...(await loadEndpoints(context, person)), form: readEndpointForm(body) }),
  );

  page(
    `${ENDPOINTS}/:id`,
    { access: 'admin', params: ByPageId, query: PageQuery, done: ENDPOINT_CHANGED },
    async ({ person, params, query }) => endpointPage(person, await loadEndpoint(context, person, params.id, query)),
  );

  confirm(
    `${ENDPOINTS}/:id/delete`,
    { access: 'admin', params: ByPageId },
    async ({ person, params: { id } }) => {
      const { url } = await endpoints.show(ownerOf(person), id);
      return {
        title: 'Delete this endpoint?',
        under: [endpointPlace(id)],
        content: html`<p>Nothing more is sent to <code>${shownUrlOf(url)}</code>, also nothing that is waiting to be sent again. Its secret is deleted.</p>`,
        button: 'Delete endpoint',
        back: `${ENDPOINTS}/${id}`,
      };
    },
    async ({ person, actor, params }) => {
      await endpoints.remove(ownerOf(person), actor, params.id);
      return `${ENDPOINTS}?done=deleted`;
    },
  );
};
