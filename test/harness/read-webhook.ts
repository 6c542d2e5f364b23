import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import type { Webhook } from '../../src/integrations/catalogue/webhook/webhook.ts';
import type { SigningKey } from '../../src/integrations/webhooks/reading/check-signature.ts';
import type { Message } from '../../src/integrations/webhooks/reading/message.ts';
import { type Reading, readMessage } from '../../src/integrations/webhooks/reading/read-message.ts';
import { toSigningKey } from '../../src/integrations/webhooks/reading/signing-key.ts';
import { Secret } from '../../src/platform/index.ts';
import { URL_OF_OURS } from './webhook-senders/signing.ts';

const ENTRIES = new URL('../../src/integrations/catalogue/entries/', import.meta.url);

/** A built-in entry. */
export const readEntry = (id: string): FullRecord => JSON.parse(readFileSync(new URL(`${id}.json`, ENTRIES), 'utf8'));

/** The webhook of a built-in entry. */
export const webhookOf = (id: string): Webhook => readEntry(id).webhook ?? assert.fail(`${id} has no webhook`);

const keysOf = ({ signatures }: Webhook, secrets: readonly string[]): SigningKey[][] =>
  signatures.map((signature) =>
    secrets.flatMap((text, number) => {
      const key = toSigningKey(signature, new Secret(text));
      return key ? [{ key, number }] : [];
    }),
  );

export type Received = Partial<Omit<Message, 'body'>> & { body?: string | Buffer };

/** Reads a message as it would arrive at an address with these secrets. */
export const readWebhook = (
  webhook: Webhook,
  { body = '', ...request }: Received,
  { secrets = [], now }: { secrets?: readonly string[]; now: number },
): Promise<Reading> =>
  readMessage({
    webhook,
    keys: keysOf(webhook, secrets),
    message: { method: 'POST', url: URL_OF_OURS, query: '', headers: {}, ...request, body: Buffer.from(body) },
    now,
  });

/** The only item of a message. Fails if there is none, or if there are several. */
export const onlyItemOf = (reading: Reading) => {
  assert.equal(reading.kind, 'items', JSON.stringify(reading));
  assert.equal(reading.items.length, 1);
  return reading.items[0] ?? assert.fail();
};
