import { createHmac, randomUUID } from 'node:crypto';

export const WEBHOOK_SECRET = 'webhook-secret-of-the-benchmark';

/** A message has about as many bytes as an event of a provider that names what happened, and not a whole page. */
const FILLER = 'x'.repeat(1_500);

type Meant = { account: number; type: string };

/** The whole HTTP request that the provider sends, ready to be written to a socket. */
const signWebhook = (url: string, { account, type }: Meant): Buffer => {
  const { pathname, host } = new URL(url);
  const at = performance.timeOrigin + performance.now();
  const body = JSON.stringify({ action: 'opened', at, sender: { id: account }, text: FILLER });
  const signature = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex');
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-github-event: ${type}`,
    `x-github-delivery: ${randomUUID()}`,
    `x-hub-signature-256: sha256=${signature}`,
    'user-agent: GitHub-Hookshot/1',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
};

export const signWebhooks = (url: string, count: number, meant: Meant): Buffer[] =>
  Array.from({ length: count }, (_, index) => signWebhook(url, { ...meant, account: meant.account + (index % 100) }));
