import { createHmac, type KeyObject, verify } from 'node:crypto';
import { jwtVerify } from 'jose';
import { equalSecrets, equalTags } from '../../../platform/index.ts';
import type { Signature } from '../../catalogue/webhook/signature.ts';
import { fillFirstTemplate, listPlaces } from '../../catalogue/webhook/template.ts';
import { parseInstant } from '../../requests/token-response.ts';
import { type Known, type Message, readTextHeader } from './message.ts';
import { createPlaceReader } from './read-place.ts';

/** Why a message isn't accepted. */
export type MessageFlaw = 'missing' | 'no_token' | 'malformed' | 'stale' | 'other_secret' | 'other_token' | 'unasked';

export type Verdict =
  | { ok: true; verified: 'signature' | 'token'; key: number; claims: Readonly<Record<string, unknown>> | null }
  | { ok: false; reason: MessageFlaw };

/** A key with its number among the secrets of an address. */
export type SigningKey = { key: KeyObject; number: number };

type Check = { signature: Signature; keys: readonly SigningKey[]; message: Message; id: string | null; now: number };

const HASHES = { 'hmac-sha256': ['sha256', 32], 'hmac-sha1': ['sha1', 20] } as const;
const SECOND_MS = 1_000;
/** More signatures than any provider sends. */
const MOST_SIGNATURES = 10;
/** Longer than any signature. A JWT can contain a token of the provider's API, which may be a JWT itself. */
const MOST_CHARACTERS_OF_A_SIGNATURE = 8_000;
const DIGITS = /^\d{1,14}$/;
const SIGNABLE = /(\{(?:body|url|method|timestamp|id|(?:header|query):[^{}]+)\})/;

const refuse = (reason: MessageFlaw): Verdict => ({ ok: false, reason });

/** Reads the parts of a signature's header, like `t=1,v1=ab`. Of parts with the same name, the first one counts. */
const readParts = (text: string, { between, afterName }: NonNullable<Signature['parts']>): [string, string][] =>
  text
    .split(between)
    .slice(0, 2 * MOST_SIGNATURES)
    .flatMap((part): [string, string][] => {
      const [name = '', ...rest] = part.trim().split(afterName);
      return rest.length === 0 ? [] : [[name, rest.join(afterName)]];
    });

type Presented = { texts: string[]; parts: ReadonlyMap<string, string> | undefined };

/** Finds the signatures in a message. Null if there are none. */
const findSignatures = ({ at, parts, prefix = '' }: Signature, message: Message, known: Known): Presented | null => {
  const read = createPlaceReader(message, known, MOST_CHARACTERS_OF_A_SIGNATURE);
  const found = at.flatMap((template) => fillFirstTemplate([template], read) ?? []);
  if (found.length === 0) return null;
  const named = parts ? found.flatMap((text) => readParts(text, parts)) : [];
  const texts = parts ? named.flatMap(([name, text]) => (name === parts.name ? [text] : [])) : found;
  return {
    texts: texts
      .filter((text) => text.startsWith(prefix))
      .map((text) => text.slice(prefix.length))
      .slice(0, MOST_SIGNATURES),
    parts: parts && new Map(named.toReversed()),
  };
};

/** Reads an instant. Null if it isn't written in this unit. */
const readInstant = (text: string, unit: NonNullable<Signature['timestamp']>['unit']): number | null => {
  if (unit === 'iso') return DIGITS.test(text) ? null : parseInstant(text);
  if (!DIGITS.test(text)) return null;
  return unit === 'seconds' ? Number(text) * SECOND_MS : Number(text);
};

const isInBody = ({ at }: NonNullable<Signature['timestamp']>): boolean =>
  at.flatMap(listPlaces).every(({ source }) => source === 'body');

/** Checks when a message was signed. Null if that is recent enough. */
const checkTime = (
  { timestamp }: Signature,
  text: string | null,
  now: number,
): Extract<MessageFlaw, 'malformed' | 'stale'> | null => {
  if (!timestamp) return null;
  const instant = text === null ? null : readInstant(text, timestamp.unit);
  if (instant === null) return 'malformed';
  return Math.abs(instant - now) <= timestamp.toleranceSeconds * SECOND_MS ? null : 'stale';
};

type Pieces = (string | Buffer)[];

/** Lists the pieces that are signed, in their order. */
const listSigned = ({ signature, message, id }: Check, timestamp: string | null): Pieces => {
  const values: Readonly<Record<string, string | Buffer | null>> = {
    '{body}': message.body,
    '{url}': message.url,
    '{method}': message.method,
    '{timestamp}': timestamp,
    '{id}': id,
  };
  return (signature.signed ?? '').split(SIGNABLE).map((part) => {
    if (part.startsWith('{header:')) return readTextHeader(message, part.slice(8, -1)) ?? '';
    if (part.startsWith('{query:')) return new URLSearchParams(message.query).get(part.slice(7, -1)) ?? '';
    return Object.hasOwn(values, part) ? (values[part] ?? '') : part;
  });
};

const isTag = (text: string, bytes: number, encoding: 'hex' | 'base64'): boolean =>
  text.length === (encoding === 'hex' ? bytes * 2 : Math.ceil(bytes / 3) * 4);

const findHmacKey = ({ signature, keys }: Check, texts: readonly string[], signed: Pieces): number | null => {
  const { algorithm, encoding = 'hex' } = signature;
  const [hash, bytes] = HASHES[algorithm as keyof typeof HASHES];
  // A text of another length can't be a signature, so none is computed.
  const likely = texts.filter((text) => isTag(text, bytes, encoding));
  if (likely.length === 0) return null;
  const fitting = keys.filter(({ key }) => {
    const hmac = createHmac(hash, key);
    for (const piece of signed) hmac.update(piece);
    const tag = hmac.digest(encoding);
    return likely.map((text) => equalTags(text, tag)).includes(true);
  });
  return fitting[0]?.number ?? null;
};

/** Decodes a text, unless it has other characters: Node would skip them, and one signature could have many texts. */
const decode = (text: string, encoding: 'hex' | 'base64'): Buffer[] => {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? [bytes] : [];
};

const findPublicKey = ({ signature, keys }: Check, texts: readonly string[], signed: Pieces): number | null => {
  const { algorithm, encoding = 'base64' } = signature;
  const data = Buffer.concat(signed.map((piece) => Buffer.from(piece as string)));
  const told = texts.flatMap((text) => decode(text, encoding));
  const fits = ({ key }: SigningKey, tag: Buffer): boolean =>
    verify(algorithm === 'ed25519' ? null : 'sha256', data, key, tag);
  return keys.find((key) => told.some((tag) => fits(key, tag)))?.number ?? null;
};

const checkJwt = async ({ signature, keys, message, now }: Check, texts: readonly string[]): Promise<Verdict> => {
  const options = {
    algorithms: ['HS256'],
    currentDate: new Date(now),
    requiredClaims: ['exp'],
    ...(signature.audience ? { audience: message.url } : {}),
  };
  let isStale = false;
  for (const { key, number } of keys)
    for (const text of texts)
      try {
        const { payload } = await jwtVerify(text, key, options);
        return { ok: true, verified: 'token', key: number, claims: payload };
      } catch (error) {
        isStale ||= (error as { code?: unknown }).code === 'ERR_JWT_EXPIRED';
      }
  return refuse(isStale ? 'stale' : 'other_secret');
};

const checkToken = ({ keys }: Check, texts: readonly string[]): Verdict => {
  const fitting = keys.filter(({ key }) => {
    const secret = key.export().toString('utf8');
    return texts.map((text) => equalSecrets(text, secret)).includes(true);
  });
  return fitting[0] ? { ok: true, verified: 'token', key: fitting[0].number, claims: null } : refuse('other_token');
};

/** Checks whether a message is signed with one of the keys, for this URL, and recently. */
export const checkMessageSignature = async (check: Check, known: Known): Promise<Verdict> => {
  const { signature, message, now } = check;
  const { algorithm, timestamp } = signature;
  const found = findSignatures(signature, message, known);
  if (!found) return refuse('missing');
  if (found.texts.length === 0) return refuse('malformed');
  if (algorithm === 'token') return checkToken(check, found.texts);
  if (algorithm === 'jwt-hs256') return checkJwt(check, found.texts);
  const time =
    timestamp && fillFirstTemplate(timestamp.at, createPlaceReader(message, { ...known, parts: found.parts }));
  // This costs nothing, so it comes before a signature is computed. A time in the body isn't known yet.
  const isLate = timestamp && !isInBody(timestamp) ? checkTime(signature, time ?? null, now) : null;
  if (isLate) return refuse(isLate);
  const signed = listSigned(check, time ?? null);
  const key = algorithm in HASHES ? findHmacKey(check, found.texts, signed) : findPublicKey(check, found.texts, signed);
  return key === null ? refuse('other_secret') : { ok: true, verified: 'signature', key, claims: null };
};

/** Checks a time that is in the signed body. Null if it is recent enough, or if there is none to check. */
export const checkTimeInBody = (signature: Signature, message: Message, known: Known, now: number) => {
  const { timestamp } = signature;
  if (!timestamp || !isInBody(timestamp)) return null;
  return checkTime(signature, fillFirstTemplate(timestamp.at, createPlaceReader(message, known)), now);
};

/** Whether the headers have what could be a signature, so that it's worth reading a large body. */
export const couldBeSigned = (signatures: readonly Signature[], message: Message): boolean =>
  signatures.some((signature) => {
    const { algorithm, encoding = 'hex' } = signature;
    const { texts } = findSignatures(signature, message, {}) ?? { texts: [] };
    if (!(algorithm in HASHES)) return texts.length > 0;
    const [, bytes] = HASHES[algorithm as keyof typeof HASHES];
    return texts.some((text) => isTag(text, bytes, encoding));
  });
