import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type Json, putAt } from './answer-path.ts';
import type { Grant, SimulatedProvider } from './simulated-provider.ts';
import { fill } from './template.ts';

/** What the provider sends to this address when access is withdrawn, as its entry describes it. */
export const buildWithdrawal = (
  { record: { webhook }, webhookSecret }: SimulatedProvider,
  { account, kept }: Grant,
  { event, url, now }: { event: string; url: string; now: number },
): { headers: Record<string, string>; body: string } => {
  const meaning = webhook?.withdrawn[event];
  assert.ok(webhook?.signature && meaning, `The entry has no signed event "${event}".`);
  const { header, prefix = '', encoding, signed, timestamp } = webhook.signature;
  const seconds = Math.floor(now / 1_000);
  const only = Object.entries(meaning.only ?? {}).map(([name, [path = '']]): [string, Json] => [
    path,
    [kept[name] ?? ''],
  ]);
  const places: [string, Json][] = [
    [webhook.event[0] ?? '', event],
    [meaning.account, account.id],
    [meaning.at[0] ?? '', seconds],
    ...only,
  ];
  const body = JSON.stringify(places.reduce<Json>((so, [path, value]) => putAt(so, path, value), {}));
  const text = fill(signed, { body, url, timestamp: String(seconds) });
  const signature = createHmac('sha256', webhookSecret).update(text).digest(encoding);
  return {
    headers: {
      'content-type': 'application/json',
      [header]: `${prefix}${signature}`,
      ...(timestamp && { [timestamp.header]: String(seconds) }),
    },
    body,
  };
};
