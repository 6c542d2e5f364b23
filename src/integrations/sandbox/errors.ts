import { Refusal } from '../../platform/index.ts';

/** The provider won't go on, and can't send the visitor back either, because the return address is what's wrong. */
export const requestRefused = (reason: string) =>
  new Refusal(400, 'integrations.sandbox_refused', `The sandbox can't continue with this request: ${reason}.`);

export const answeredOrExpired = () =>
  new Refusal(
    410,
    'integrations.sandbox_gone',
    'This request was already answered, has expired or was opened in another browser. Connect again.',
  );
