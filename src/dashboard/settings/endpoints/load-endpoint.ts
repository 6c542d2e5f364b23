import { FIRST_PAGE, type PageQuery } from '../../../platform/index.ts';
import type { DashboardContext } from '../../context.ts';
import type { Person } from '../../person.ts';
import type { EndpointPageView } from './endpoint-page.ts';
import type { EndpointsView } from './endpoints-page.ts';

/** The team, as the owner of its own endpoints. */
export const ownerOf = ({ team }: Person) => ({ teamId: team.id, forOperator: false });

export const loadEndpoint = async (
  { events: { endpoints } }: DashboardContext,
  person: Person,
  id: string,
  query: PageQuery = FIRST_PAGE,
): Promise<EndpointPageView> => {
  const owner = ownerOf(person);
  const opened = await endpoints.show(owner, id);
  return { ...opened, attempts: await endpoints.listAttempts(owner, id, query), cursor: query.cursor };
};

/** Loads the team's endpoints and, for the first team, the operator's, which are stored in that team. */
export const loadEndpoints = async (
  { url, events: { endpoints } }: DashboardContext,
  person: Person,
): Promise<Omit<EndpointsView, 'form'>> => ({
  url,
  endpoints: await endpoints.list(ownerOf(person)),
  operators: await endpoints.list({ ...ownerOf(person), forOperator: true }),
});
