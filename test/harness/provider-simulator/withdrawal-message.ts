import assert from 'node:assert/strict';
import type { Signature } from '../../../src/integrations/catalogue/webhook/signature.ts';
import { type Json, putAt } from './answer-path.ts';
import type { Grant, SimulatedProvider } from './simulated-provider.ts';
import { fill } from './template.ts';

/** The name or path of a template that is a single place in this source. */
const placeIn = (template = '', source: 'header' | 'body' | 'signature'): string | undefined =>
  new RegExp(`^\\{${source}:([^{}]+)\\}$`).exec(template)?.[1];

/** The headers with a signature and the time, as the entry describes them. */
const toHeaders = ({ at, prefix = '', parts, timestamp }: Signature, signature: string, time: string) => {
  const header = placeIn(at[0], 'header');
  assert.ok(header, 'The signature is in a header.');
  const [part, timeHeader] = [placeIn(timestamp?.at[0], 'signature'), placeIn(timestamp?.at[0], 'header')];
  const texts = parts && [
    ...(part === undefined ? [] : [`${part}${parts.afterName}${time}`]),
    `${parts.name}${parts.afterName}${prefix}${signature}`,
  ];
  return {
    [header]: texts?.join(parts?.between) ?? `${prefix}${signature}`,
    ...(timeHeader !== undefined && { [timeHeader]: time }),
  };
};

/** What the provider sends to this address when access is withdrawn, as its entry describes it. */
export const buildWithdrawal = (
  { record: { webhook }, webhookKey }: SimulatedProvider,
  { account, kept }: Grant,
  { event, url, now }: { event: string; url: string; now: number },
): { headers: Record<string, string>; body: string } => {
  const meaning = webhook?.withdrawn?.[event];
  const signature = webhook?.signatures[0];
  assert.ok(signature && meaning, `The entry has no signed event "${event}".`);
  const seconds = Math.floor(now / 1_000);
  const only = Object.entries(meaning.only ?? {}).map(([name, [path = '']]): [string, Json] => [
    path,
    [kept[name] ?? ''],
  ]);
  const places: [string, Json][] = [
    [placeIn(webhook?.type[0], 'body') ?? '', event],
    [meaning.account, account.id],
    [meaning.at[0] ?? '', seconds],
    ...only,
  ];
  const body = JSON.stringify(places.reduce<Json>((so, [path, value]) => putAt(so, path, value), {}));
  const signed = fill(signature.signed ?? '', { body, url, timestamp: String(seconds) });
  const tag = webhookKey.sign(signed).toString(signature.encoding ?? 'hex');
  return { headers: { 'content-type': 'application/json', ...toHeaders(signature, tag, String(seconds)) }, body };
};
