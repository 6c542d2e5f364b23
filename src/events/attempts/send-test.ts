import { createCallerTurns } from '../../http/index.ts';
import { type Database, oncePer } from '../../platform/index.ts';
import { type AuditActor, recordAudit } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import type { EndpointOwner } from '../endpoints/endpoint.ts';
import { openSecrets } from '../endpoints/endpoint-secrets.ts';
import { showEndpoint } from '../endpoints/endpoints.ts';
import { eventUnknown } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { getEvent } from '../log/event-store.ts';
import { toEventView } from '../log/event-view.ts';
import { numberEvents } from '../log/number-events.ts';
import type { Recorder } from '../log/record-events.ts';
import type { SendAttempt } from './attempt.ts';
import { insertAttempts } from './attempt-store.ts';
import { sendEvent } from './send-event.ts';

type SentTest = { eventId: string; attempt: SendAttempt };

const testTurnsIn = oncePer((_: Database) => createCallerTurns(LIMITS.tests));

const sendNow = async (
  context: EventsContext & Pick<Recorder, 'record'>,
  owner: EndpointOwner,
  actor: AuditActor,
  id: string,
): Promise<SentTest> => {
  const { database, vault, clock, newId, url: base } = context;
  const { endpoint, url } = await showEndpoint(context, owner, id);
  await context.pause.check();
  const { teamId, forOperator } = owner;
  const path = forOperator ? '/api/operator/events/endpoints' : '/api/events/endpoints';
  const data = { message: 'This is a test from Patchbay.', url: `${base}${path}/${id}` };
  const [eventId = ''] = await database.transaction(async (tx) => {
    await recordAudit(context, tx, teamId, actor, { action: 'event_endpoint.test', target: id });
    return context.record(tx, { teamId, type: 'test', subject: id, data });
  });
  await numberEvents(context);
  const event = await getEvent(database, teamId, eventId);
  if (!event) throw eventUnknown();
  const secrets = await openSecrets(vault, endpoint, clock.now());
  const attempt = await sendEvent(context, { id, url, secrets }, await toEventView(vault, event));
  const { retryAfterMs: _, ...stored } = attempt;
  await database.transaction((tx) => insertAttempts(tx, [{ ...stored, id: newId(), teamId, eventId, endpointId: id }]));
  return { eventId, attempt };
};

/**
 * Sends a test immediately and without retries, because a person is waiting for the result. Works for inactive
 * endpoints, too.
 */
export const sendTest = (
  context: EventsContext & Pick<Recorder, 'record'>,
  owner: EndpointOwner,
  actor: AuditActor,
  id: string,
): Promise<SentTest> =>
  testTurnsIn(context.database)({ teamId: owner.teamId, userId: actor.userId ?? '' }, () =>
    sendNow(context, owner, actor, id),
  );
