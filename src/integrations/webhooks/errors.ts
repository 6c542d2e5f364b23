import { refuse } from '../errors.ts';

export const webhookNotSetUp = (setting: string) =>
  refuse(404, 'webhook_not_set_up', `Webhooks of this provider aren't set up here. Set ${setting} to receive them.`);

export const webhookNotReceived = () =>
  refuse(404, 'webhook_not_set_up', "Patchbay doesn't receive webhooks of this provider.");

export const noWebhookAddress = () =>
  refuse(404, 'webhook_not_set_up', 'There is no address for webhooks of this provider. PUT …/webhook makes one.');

export const webhookAddressUnknown = () =>
  refuse(404, 'webhook_address_unknown', 'Nothing is received at this address. An admin can look up the current one.');

export const webhookOnlyOperator = () =>
  refuse(
    409,
    'webhook_only_operator',
    "This provider sends webhooks once for the whole OAuth app, to the operator's address. A team can't have one.",
  );

export const webhookSecretInvalid = () =>
  refuse(422, 'webhook_secret_invalid', "This isn't a secret in the provider's format. Copy it again, without quotes.");

export const webhookSecretShort = (least: number) =>
  refuse(
    422,
    'webhook_secret_invalid',
    `This secret is too easy to guess. Choose one of at least ${least} characters at the provider, and enter it here.`,
  );

export const webhookSecretsFull = (most: number) =>
  refuse(409, 'webhook_secrets_full', `An address has at most ${most} secrets. Remove one that isn't used anymore.`);

export const webhookSecretUnknown = () =>
  refuse(404, 'webhook_secret_unknown', 'There is no such secret. GET …/webhook lists all of them.');

export const webhookSignatureInvalid = (status: 401 | 403) =>
  refuse(
    status,
    'signature_invalid',
    "Invalid signature. Compare the secret and the address registered at the provider, and this server's clock.",
  );

export const messageMalformed = () =>
  refuse(400, 'message_malformed', "The message is verified, but isn't in the provider's format.");

export const tooManyMessages = () =>
  refuse(503, 'too_many_messages', 'Too many large messages are waiting to be verified. Send it again.', {
    headers: { 'retry-after': '5' },
  });

export const messageNotKept = () =>
  refuse(503, 'message_not_kept', "The message couldn't be stored. Send it again.", {
    headers: { 'retry-after': '30' },
  });
