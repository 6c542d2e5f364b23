import type { DashboardPage } from '../frame.ts';
import { ByPageId, type PageRoutes } from '../pages.ts';
import type { Person } from '../person.ts';
import { eventPage } from './event-page.ts';

const done = {
  resent: 'It is being sent again to every active endpoint that wants it.',
  unwanted: 'No active endpoint wants events of this type, so nothing is sent.',
};

export const eventPageRoutes: PageRoutes = ({ page, form }, { events, integrations }) => {
  const showEvent = async (person: Person, id: string): Promise<DashboardPage> => {
    const owner = { teamId: person.team.id, forOperator: false };
    const { event, attempts } = await events.showEvent(owner, id);
    const { provider } = event.data;
    const providerName = typeof provider === 'string' ? (integrations.findProviderName(provider) ?? provider) : null;
    if (person.role !== 'admin') return eventPage(person, { event, providerName, sending: null });
    // Load the operator's endpoints, too, because the first team's test events can be about them.
    const operators = await events.endpoints.list({ ...owner, forOperator: true });
    const endpoints = [...(await events.endpoints.list(owner)), ...operators];
    return eventPage(person, { event, providerName, sending: { attempts, endpoints } });
  };

  page('/events/:id', { access: 'member', params: ByPageId, done }, ({ person, params }) =>
    showEvent(person, params.id),
  );

  form(
    '/events/:id/resend',
    { access: 'admin', params: ByPageId },
    async ({ person, actor, params: { id } }) => {
      const count = await events.resendEvent({ teamId: person.team.id, forOperator: false }, actor, id);
      return `/events/${id}?done=${count > 0 ? 'resent' : 'unwanted'}`;
    },
    ({ person, params }) => showEvent(person, params.id),
  );
};
