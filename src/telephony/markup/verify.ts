import { createHmac, hash } from 'node:crypto';
import { equalSecrets } from '../../platform/index.ts';
import { contentTypeOf, type Delivery, headerOf, JSON_TYPE, queryOf } from '../delivery.ts';
import type { TelephonyProvider, VerifyContext } from '../provider.ts';
import type { Dialect } from './dialect.ts';
import { BODY_DIGEST, fitsGrammar, isAmbiguous, paramsOf } from './params.ts';

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

/** The address is signed as it was configured, sometimes with the standard port and sometimes without. */
const addressForms = ({ target }: Delivery, { publicUrl }: VerifyContext): string[] => {
  const { protocol, hostname, port } = new URL(publicUrl);
  const standard = protocol === 'https:' ? '443' : '80';
  const hosts = port === '' ? [hostname, `${hostname}:${standard}`] : [`${hostname}:${port}`, hostname];
  return hosts.map((host) => `${protocol}//${host}${target}`);
};

const isJsonPost = (delivery: Delivery): boolean => delivery.method === 'POST' && contentTypeOf(delivery) === JSON_TYPE;

const isBodyIntact = (delivery: Delivery): boolean => {
  const digest = queryOf(delivery).get(BODY_DIGEST) ?? '';
  return equalSecrets(hash('sha256', delivery.body, 'hex'), digest.toLowerCase());
};

/** What follows the address in the signed text. */
const signedBody = (delivery: Delivery): string =>
  delivery.method === 'POST' && !isJsonPost(delivery) ? joinForm(delivery.body) : '';

export const signText = (secret: string, text: string): string =>
  createHmac('sha1', secret).update(text, 'utf8').digest('base64');

/** Verifies a request with any of the account's secrets. */
export const verifyMarkup =
  (dialect: Dialect): TelephonyProvider['verify'] =>
  (delivery, secrets, context) => {
    const signature = dialect.signatureHeaders.map((name) => headerOf(delivery, name)).find((value) => value !== null);
    if (!signature) return { ok: false, reason: 'missing' };
    const body = signedBody(delivery);
    const texts = addressForms(delivery, context).map((address) => `${address}${body}`);
    const secret = secrets.find(({ value }) => texts.some((text) => equalSecrets(signText(value, text), signature)));
    if (!secret || (isJsonPost(delivery) && !isBodyIntact(delivery))) return { ok: false, reason: 'bad_signature' };
    if (isAmbiguous(delivery) || !fitsGrammar(paramsOf(delivery), dialect)) return { ok: false, reason: 'malformed' };
    return { ok: true, secretId: secret.id };
  };
