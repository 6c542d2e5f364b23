import { createHmac, hash } from 'node:crypto';
import { equalSecrets } from '../../../platform/index.ts';
import { contentTypeOf, type Delivery, headerOf, queryOf } from '../../delivery.ts';
import type { AccountSecret, Verdict, VerifyContext } from '../../provider.ts';
import { fitsGrammar, hasForeignQuery, paramsOf } from './params.ts';

const JSON_TYPE = 'application/json';

/** Names sorted by code unit; the values of a repeated one sorted, each once. Nothing stands in between. */
const joinForm = (body: Buffer): string => {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(body.toString('utf8')))
    values.set(name, (values.get(name) ?? new Set()).add(value));
  return [...values.keys()]
    .sort()
    .flatMap((name) => [...(values.get(name) ?? [])].sort().map((value) => `${name}${value}`))
    .join('');
};

/** Twilio signs the address as configured, sometimes with the standard port and sometimes without. */
const addressForms = ({ target }: Delivery, publicUrl: string): string[] => {
  const { protocol, hostname, port } = new URL(publicUrl);
  const standard = protocol === 'https:' ? '443' : '80';
  const hosts = port === '' ? [hostname, `${hostname}:${standard}`] : [`${hostname}:${port}`, hostname];
  return hosts.map((host) => `${protocol}//${host}${target}`);
};

const isBodyIntact = (delivery: Delivery): boolean => {
  const digest = queryOf(delivery).get('bodySHA256') ?? '';
  return equalSecrets(hash('sha256', delivery.body, 'hex'), digest.toLowerCase());
};

/** What follows the address in the signed text. */
const signedBody = (delivery: Delivery): string =>
  delivery.method === 'POST' && contentTypeOf(delivery) !== JSON_TYPE ? joinForm(delivery.body) : '';

export const signTwilio = (secret: string, text: string): string =>
  createHmac('sha1', secret).update(text, 'utf8').digest('base64');

/** Verifies a request with any of the account's auth tokens. Every one is tried, whatever the first says. */
export const verifyWith =
  (headers: readonly string[]) =>
  (delivery: Delivery, secrets: readonly AccountSecret[], { publicUrl }: VerifyContext): Verdict => {
    const signature = headers.map((name) => headerOf(delivery, name)).find((value) => value !== null);
    if (!signature) return { ok: false, reason: 'missing' };
    const body = signedBody(delivery);
    const texts = addressForms(delivery, publicUrl).map((address) => `${address}${body}`);
    const matching = secrets.filter(
      ({ value }) => texts.filter((text) => equalSecrets(signTwilio(value, text), signature)).length > 0,
    );
    const [secret] = matching;
    if (!secret) return { ok: false, reason: 'bad_signature' };
    if (delivery.method === 'POST' && contentTypeOf(delivery) === JSON_TYPE && !isBodyIntact(delivery))
      return { ok: false, reason: 'bad_signature' };
    if (hasForeignQuery(delivery) || !fitsGrammar(paramsOf(delivery))) return { ok: false, reason: 'malformed' };
    return { ok: true, secretId: secret.id };
  };

export const verifyTwilio = verifyWith(['x-twilio-signature']);
