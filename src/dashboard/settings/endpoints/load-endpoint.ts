import type { DashboardContext } from '../../context.ts';
import type { Person } from '../../person.ts';
import type { EndpointPageView } from './endpoint-page.ts';

/** The team's own endpoints; those of the operator aren't on these pages. */
export const ownerOf = ({ team }: Person) => ({ teamId: team.id, forOperator: false });

export const loadEndpoint = async (
  { events: { endpoints } }: DashboardContext,
  person: Person,
  id: string,
): Promise<EndpointPageView> => {
  const owner = ownerOf(person);
  const opened = await endpoints.show(owner, id);
  return { ...opened, attempts: await endpoints.listAttempts(owner, id) };
};
