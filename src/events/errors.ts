import { Refusal } from '../platform/index.ts';

const ROOM = 'events';

export const cursorInvalid = (): Refusal =>
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
