import { refuse } from '../errors.ts';

export const webhookNotSetUp = (setting: string) =>
  refuse(404, 'webhook_not_set_up', `Webhooks of this provider aren't set up here. Set ${setting} to receive them.`);

export const webhookNotReceived = () =>
  refuse(404, 'webhook_not_set_up', "Patchbay doesn't receive webhooks of this provider.");

export const webhookSignatureInvalid = () =>
  refuse(
    403,
    'signature_invalid',
    "Invalid signature. Compare OAUTH_<PROVIDER>_WEBHOOK_SECRET, the address registered at the provider, and this server's clock.",
  );

export const messageMalformed = () =>
  refuse(400, 'message_malformed', "The message is signed, but isn't in the provider's format.");

export const tooManyMessages = () =>
  refuse(503, 'too_many_messages', 'Too many large messages are waiting to be verified. Send it again.', {
    headers: { 'retry-after': '5' },
  });
