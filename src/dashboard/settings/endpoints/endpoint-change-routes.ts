import { versionOfSecret } from '../../../events/index.ts';
import { html, Type } from '../../../platform/index.ts';
import { LocalTimeText, periodOf } from '../../local-time.ts';
import { ByPageId, type PageRoutes } from '../../pages.ts';
import { checkForm } from '../check-form.ts';
import { EndpointFormBody, explainEndpoint, NewEndpoint, readEndpointForm } from './endpoint-form.ts';
import { endpointPage } from './endpoint-page.ts';
import { ENDPOINTS, endpointPlace } from './endpoint-state.ts';
import { loadEndpoint, ownerOf } from './load-endpoint.ts';
import { secretPage } from './secret-page.ts';

export const ENDPOINT_CHANGED = {
  saved: 'Endpoint saved.',
  on: 'Turned on. It gets what happens from now on.',
  off: 'Turned off. Nothing is sent until you turn it on again.',
  replaying: 'What happened in this period is being sent again.',
  nothing: 'Nothing happened in this period, so nothing is sent.',
};

const PeriodBody = Type.Object({ since: LocalTimeText, until: Type.Optional(LocalTimeText) });

const SecretBody = Type.Object({ seen: Type.String() });

const EndpointChange = Type.Object({
  ...NewEndpoint.properties,
  url: Type.Optional(NewEndpoint.properties.url),
});

/** Routes that change, test and repair an endpoint. */
export const endpointChangeRoutes: PageRoutes = ({ page, form, confirm }, context) => {
  const { events, clock } = context;
  const { endpoints } = events;

  form(
    `${ENDPOINTS}/:id`,
    { access: 'admin', params: ByPageId, body: EndpointFormBody },
    async ({ person, actor, params: { id }, body, request }) => {
      const { url, ...others } = readEndpointForm(body);
      const patch = checkForm(request, EndpointChange, { ...others, ...(url && { url }) }, explainEndpoint);
      await endpoints.change(ownerOf(person), actor, id, patch);
      return `${ENDPOINTS}/${id}?done=saved`;
    },
    async ({ person, params, body }) =>
      endpointPage(person, { ...(await loadEndpoint(context, person, params.id)), draft: readEndpointForm(body) }),
  );

  for (const word of ['on', 'off'] as const)
    form(
      `${ENDPOINTS}/:id/turn-${word}`,
      { access: 'admin', params: ByPageId },
      async ({ person, actor, params: { id } }) => {
        await endpoints.change(ownerOf(person), actor, id, { active: word === 'on' });
        return `${ENDPOINTS}/${id}?done=${word}`;
      },
    );

  form(
    `${ENDPOINTS}/:id/test`,
    { access: 'admin', params: ByPageId },
    async ({ person, actor, params: { id } }) => {
      const { attempt: test } = await endpoints.test(ownerOf(person), actor, id);
      return endpointPage(person, { ...(await loadEndpoint(context, person, id)), test });
    },
    async ({ person, params }) => endpointPage(person, await loadEndpoint(context, person, params.id)),
  );

  // These paths are in the browser's address bar after a form was sent. Opening them leads back to the endpoint.
  for (const what of ['test', 'replay'])
    page(
      `${ENDPOINTS}/:id/${what}`,
      { access: 'admin', params: ByPageId },
      ({ params: { id } }) => `${ENDPOINTS}/${id}#${what}`,
    );

  form(
    `${ENDPOINTS}/:id/replay`,
    { access: 'admin', params: ByPageId, body: PeriodBody },
    async ({ person, actor, params: { id }, body: { since, until } }) => {
      const period = periodOf({ since, until }, person.team.timeZone, clock.now());
      const hasBegun = await endpoints.replay(ownerOf(person), actor, id, period);
      return `${ENDPOINTS}/${id}?done=${hasBegun ? 'replaying' : 'nothing'}`;
    },
    async ({ person, params, body }) =>
      endpointPage(person, { ...(await loadEndpoint(context, person, params.id)), period: body }),
  );

  confirm(
    `${ENDPOINTS}/:id/secret`,
    { access: 'admin', params: ByPageId, body: SecretBody },
    async ({ person, params: { id } }) => {
      const { endpoint } = await endpoints.show(ownerOf(person), id);
      return {
        title: 'Make a new secret?',
        under: [endpointPlace(id)],
        content: html`<p>For the next 24 hours, requests are signed with the new secret and the current one, so you have time to change over. After that, only the new one works. One that was replaced less than 24 hours ago works for the rest of that time.</p>`,
        fields: html`<input type="hidden" name="seen" value="${versionOfSecret(endpoint)}">`,
        button: 'Make a new secret',
        back: `${ENDPOINTS}/${id}`,
      };
    },
    async ({ person, actor, params: { id }, body: { seen } }) =>
      secretPage(person, { id, ...(await endpoints.rotate(ownerOf(person), actor, id, { seen })) }),
  );
};
