import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { FullRecord } from '../../../src/integrations/catalogue/provider.ts';

/** What a provider signs its webhooks with, and what is entered for it as the secret. */
export type WebhookKey = { secret: string; sign(text: string): Buffer };

/** A new key of the kind that the entry names. */
export const createWebhookKey = ({ id, webhook }: FullRecord): WebhookKey => {
  if (webhook?.signatures[0]?.algorithm === 'ed25519') {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    const secret = Buffer.from(x, 'base64url').toString('hex');
    return { secret, sign: (text) => sign(null, Buffer.from(text), privateKey) };
  }
  const secret = `webhook-secret-of-${id}`;
  return { secret, sign: (text) => createHmac('sha256', secret).update(text).digest() };
};
