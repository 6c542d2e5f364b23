import { createHmac, hash, type KeyObject } from 'node:crypto';
import { equalTags } from '../../platform/index.ts';
import { contentTypeOf, type Delivery, headerOf, JSON_TYPE, queryOf } from '../contract/delivery.ts';
import type { AccountSecret, TelephonyProvider } from '../contract/provider.ts';
import { hmacKeyOf } from '../provider-parts/hmac-key.ts';
import type { Dialect } from './dialect.ts';
import { createGrammar } from './grammar.ts';
import { BODY_DIGEST, isAmbiguous, joinedParamsOf, paramsOf } from './params.ts';

/** Lists the forms of our URL that may have been signed: with and without the default port. */
const originForms = (publicUrl: string): string[] => {
  const { protocol, hostname, port } = new URL(publicUrl);
  const standard = protocol === 'https:' ? '443' : '80';
  const hosts = port === '' ? [hostname, `${hostname}:${standard}`] : [`${hostname}:${port}`, hostname];
  return hosts.map((host) => `${protocol}//${host}`);
};

const createOrigins = () => {
  let known = { publicUrl: '', forms: [] as string[] };
  return (publicUrl: string): readonly string[] => {
    if (known.publicUrl !== publicUrl) known = { publicUrl, forms: originForms(publicUrl) };
    return known.forms;
  };
};

const isJsonPost = (delivery: Delivery): boolean => delivery.method === 'POST' && contentTypeOf(delivery) === JSON_TYPE;

const isBodyIntact = (delivery: Delivery): boolean => {
  const digest = queryOf(delivery).get(BODY_DIGEST) ?? '';
  return equalTags(hash('sha256', delivery.body, 'hex'), digest.toLowerCase());
};

/** Returns what follows the URL in the signed text. */
const signedBody = (delivery: Delivery): string =>
  delivery.method === 'POST' && !isJsonPost(delivery) ? joinedParamsOf(delivery) : '';

export const signText = (key: KeyObject | string, text: string): string =>
  createHmac('sha1', key).update(text, 'utf8').digest('base64');

/** Verifies a request with any of the account's secrets. */
export const verifyMarkup = (dialect: Dialect): TelephonyProvider['verify'] => {
  const originsOf = createOrigins();
  const fitsGrammar = createGrammar(dialect);
  return (delivery, secrets, { publicUrl }) => {
    const signature = dialect.signatureHeaders.map((name) => headerOf(delivery, name)).find((value) => value !== null);
    if (!signature) return { ok: false, reason: 'missing' };
    const signed = `${delivery.target}${signedBody(delivery)}`;
    const fits = (secret: AccountSecret): boolean =>
      originsOf(publicUrl).some((origin) => equalTags(signText(hmacKeyOf(secret), `${origin}${signed}`), signature));
    const secret = secrets.find(fits);
    if (!secret || (isJsonPost(delivery) && !isBodyIntact(delivery))) return { ok: false, reason: 'bad_signature' };
    if (isAmbiguous(delivery) || !fitsGrammar(paramsOf(delivery))) return { ok: false, reason: 'malformed' };
    return { ok: true, secretId: secret.id };
  };
};
