import { Refusal } from '../platform/index.ts';

const ROOM = 'events';

export const eventCursorInvalid = (): Refusal =>
  new Refusal(
    400,
    `${ROOM}.cursor_invalid`,
    'This is not a place in the log. Use the id of an event or the last `nextCursor`, or leave out `after` to start with the oldest event.',
  );

export const cursorExpired = (): Refusal =>
  new Refusal(
    410,
    `${ROOM}.cursor_expired`,
    'What came next has been deleted, because events are kept for 30 days. Leave out `after` to continue with the oldest event.',
  );

export const eventUnknown = (): Refusal =>
  new Refusal(404, `${ROOM}.event_unknown`, 'There is no such event. Events are kept for 30 days.');

export const payloadUnknown = (): Refusal =>
  new Refusal(
    404,
    `${ROOM}.payload_unknown`,
    'There is no payload to download. Up to 16 KB, it is in the event, as `data.payload`. A larger one is kept for 30 days.',
  );

export const tooManyPayloads = (): Refusal =>
  new Refusal(
    429,
    `${ROOM}.too_many_payloads`,
    'Other payloads are still being downloaded. Wait until they are done.',
    {
      headers: { 'retry-after': '5' },
    },
  );

export const alertUnknown = (): Refusal =>
  new Refusal(404, `${ROOM}.alert_unknown`, 'There is no such open alert. It may have been resolved or dismissed.');

export const endpointUnknown = (): Refusal =>
  new Refusal(404, `${ROOM}.endpoint_unknown`, 'There is no such endpoint.');

export const tooManyEndpoints = (most: number): Refusal =>
  new Refusal(409, `${ROOM}.too_many_endpoints`, `There can be ${most} endpoints. Delete one first.`);

export const endpointExists = (): Refusal =>
  new Refusal(
    409,
    `${ROOM}.endpoint_exists`,
    "Your team already has an endpoint with this URL for the same events. No second one was created. A secret is shown only once: if you don't have it anymore, make a new one on the endpoint's page.",
  );

export const secretReplaced = (): Refusal =>
  new Refusal(
    409,
    `${ROOM}.secret_replaced`,
    "This endpoint got a new secret after this form was opened, so no other one was made. A secret is shown only once: if you don't have it, make a new one.",
  );

export const endpointUrlInvalid = (message: string): Refusal =>
  new Refusal(400, `${ROOM}.url_invalid`, 'Events cannot be sent to this URL.', { errors: [{ path: 'url', message }] });

export const endpointInactive = (): Refusal =>
  new Refusal(409, `${ROOM}.endpoint_inactive`, 'This endpoint is not active. Set `active` to true first.');

export const replayRunning = (): Refusal =>
  new Refusal(409, `${ROOM}.replay_running`, 'A replay to this endpoint is still running. Wait until it has ended.');

export const periodInvalid = (): Refusal =>
  new Refusal(400, `${ROOM}.period_invalid`, 'Nothing lies in this period.', {
    errors: [{ path: 'since', message: 'must be before `until`' }],
  });

export const dataErased = (): Refusal =>
  new Refusal(409, `${ROOM}.data_erased`, 'What this event was about has been erased, so it cannot be sent again.');

export const tooManyTests = (): Refusal =>
  new Refusal(429, `${ROOM}.too_many_tests`, 'Other tests are still running. Try again in a few seconds.', {
    headers: { 'retry-after': '5' },
  });
