import type { EndpointOwner } from '../endpoints/endpoint.ts';
import { showEndpoint } from '../endpoints/endpoints.ts';
import type { EventsContext } from '../log/context.ts';
import { type AttemptTo, listAttemptsTo } from './attempt-store.ts';

const MOST_ATTEMPTS = 50;

/** What was sent to an endpoint lately, newest first. */
export const listAttempts = async (context: EventsContext, owner: EndpointOwner, id: string): Promise<AttemptTo[]> => {
  await showEndpoint(context, owner, id);
  return listAttemptsTo(context.database, owner.teamId, id, MOST_ATTEMPTS);
};
