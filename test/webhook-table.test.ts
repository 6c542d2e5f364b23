import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readEntries } from '../src/integrations/catalogue/catalogue.ts';
import { standingOf } from '../src/integrations/catalogue/evidence/evidence.ts';
import type { Webhook } from '../src/integrations/catalogue/webhook/webhook.ts';
import { MORE_WEBHOOK_CASES } from './harness/more-webhook-cases.ts';
import { WEBHOOK_CASES } from './harness/webhook-cases.ts';
import { WEBHOOK_COUNTERPARTS } from './harness/webhook-counterparts.ts';

const PROOFS: Record<Webhook['signatures'][number]['algorithm'], string> = {
  'hmac-sha256': 'HMAC-SHA256',
  'hmac-sha1': 'HMAC-SHA1',
  ed25519: 'Ed25519',
  'ecdsa-p256': 'ECDSA P-256',
  'jwt-hs256': 'a JWT, which is not over the body',
  token: 'the secret itself',
};

const received = readEntries().filter(({ record }) => record.webhook);

const proofOf = ({ signatures }: Webhook): string =>
  signatures
    .map(({ algorithm, signed }) => `${PROOFS[algorithm]}${signed === undefined ? '' : ` of \`${signed}\``}`)
    .join(', else ') || 'nothing';

const rowOf = ({ record, evidence }: (typeof received)[number]): string => {
  const { webhook } = record;
  assert.ok(webhook);
  const receivers = (['operator', 'team'] as const).filter((one) => webhook[one]).join(', ');
  const standing = standingOf({ field: 'webhook.signatures', written: true }, evidence);
  const counterpart = WEBHOOK_COUNTERPARTS[record.id] ?? 'none';
  return `| \`${record.id}\` | ${[receivers, proofOf(webhook), standing, counterpart].join(' | ')} |`;
};

test('the page about providers lists whose webhooks are received, and what proves that', () => {
  const page = readFileSync(new URL('../docs/providers.md', import.meta.url), 'utf8');
  const rows = received.map(rowOf);
  const [, listed = ''] = page.split(
    '| entry | received by | what it proves with | source | counterpart in the tests |\n',
  );
  const [, ...found] = listed.split('\n\n')[0]?.split('\n') ?? [];
  assert.deepEqual(found, rows, `It should be:\n${rows.join('\n')}`);
});

test('every webhook of an entry is sent in a test, and its counterpart is installed', () => {
  const ids = received.map(({ record }) => record.id).sort();
  assert.deepEqual(Object.keys(WEBHOOK_COUNTERPARTS).sort(), ids);
  // These two prove nothing in a header, so they have tests of their own.
  const played = [...WEBHOOK_CASES, ...MORE_WEBHOOK_CASES].map(({ provider }) => provider);
  assert.deepEqual([...new Set([...played, 'mailchimp', 'microsoft'])].sort(), ids);
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  const named = Object.values(WEBHOOK_COUNTERPARTS).flatMap((text) => [...(text ?? '').matchAll(/`([^`]+)`/g)]);
  for (const [, name = ''] of named) assert.ok(name in { ...dependencies, ...devDependencies }, name);
});
