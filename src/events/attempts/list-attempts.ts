import { AFTER_IDS, type ListPage, type PageQuery, readPage } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';
import type { EndpointOwner } from '../endpoints/endpoint.ts';
import { showEndpoint } from '../endpoints/endpoints.ts';
import { eventCursorInvalid } from '../errors.ts';
import { type AttemptTo, listAttemptsTo } from './attempt-store.ts';

/** A page of attempts to send events to an endpoint, newest first. */
export const listAttempts = async (
  context: EventsContext,
  owner: EndpointOwner,
  id: string,
  query: PageQuery,
): Promise<ListPage<AttemptTo>> => {
  await showEndpoint(context, owner, id);
  return readPage(query, {
    read: (before, limit) => listAttemptsTo(context.database, owner.teamId, id, { before: before ?? AFTER_IDS, limit }),
    keyOf: (attempt) => attempt.id,
    refuseCursor: eventCursorInvalid,
  });
};
