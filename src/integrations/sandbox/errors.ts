import { Refusal } from '../../platform/index.ts';

/** The provider will not go on, and cannot send the visitor back either: to whom is just what is wrong. */
export const requestRefused = (reason: string) =>
  new Refusal(400, 'integrations.sandbox_refused', `The sandbox cannot go on with this request: ${reason}.`);

export const answeredOrExpired = () =>
  new Refusal(
    410,
    'integrations.sandbox_gone',
    'This question has been answered, has expired, or was asked in another browser. Connect again.',
  );
