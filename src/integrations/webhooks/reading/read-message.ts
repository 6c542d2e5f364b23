import { createHash } from 'node:crypto';
import { pick } from '../../catalogue/pick.ts';
import { fillFirstTemplate, fillTemplate, listPlaces } from '../../catalogue/webhook/template.ts';
import type { Webhook } from '../../catalogue/webhook/webhook.ts';
import { toLabel } from '../../requests/fetch-holder.ts';
import type { Withdrawal } from '../../withdrawals/withdrawal.ts';
import {
  checkMessageSignature,
  checkTimeInBody,
  type MessageFlaw,
  type SigningKey,
  type Verdict,
} from './check-signature.ts';
import type { Known, Message, MessageContent } from './message.ts';
import { parseContent } from './parse-content.ts';
import { type HandshakeReply, readHandshake } from './read-handshake.ts';
import { createPlaceReader, listValues } from './read-place.ts';
import { readWithdrawal } from './read-withdrawal.ts';

/** How a message was verified. `token`: its sender is proved, but not its content. */
export type Verified = 'signature' | 'token' | 'none';

/** The accounts that an item names. */
export type NamedAccounts = { account: readonly string[]; installation: readonly string[]; host: readonly string[] };

/** What happened: a whole message, or one of the items in it. */
export type MessageItem = {
  type: string;
  id: string | null;
  /** Equal for the same item of a repeated message. Null if equal messages are different events. */
  repeat: string | null;
  named: NamedAccounts;
  /** The item as JSON. */
  payload: string;
  withdrawal: Withdrawal | null;
};

/** What a person is told about a message that was accepted, also if it's a sign of life. Null if it shows nothing. */
export type Seen = {
  type: string;
  /** The number of the key that has verified the message. Null if the provider signs nothing. */
  key: number | null;
};

export type Reading =
  | { kind: 'refused'; reason: MessageFlaw }
  | { kind: 'malformed' }
  | { kind: 'handshake'; reply: HandshakeReply; secret: string | null; seen: Seen | null }
  | { kind: 'items'; verified: Verified; items: readonly MessageItem[]; seen: Seen | null };

/** Everything that reading a message takes. It can be sent to another thread. */
export type ReadInput = { webhook: Webhook; keys: readonly (readonly SigningKey[])[]; message: Message; now: number };

/** The type of what has none. */
const UNNAMED = 'unknown';
const NOT_VERIFIED: Verdict = { ok: true, verified: 'token', key: -1, claims: null };
/** More items than any provider sends in a message. */
const MOST_ITEMS = 1_000;

const digest = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('base64url');
};

/**
 * Verifies a message with the first signature that it has. If the token is in each item, all of them must have it.
 */
const verify = async ({ webhook, keys, message, now }: ReadInput, content: unknown): Promise<Verdict> => {
  const { signatures, id = [] } = webhook;
  if (signatures.length === 0) return NOT_VERIFIED;
  const hasTokens = signatures.some(({ algorithm }) => algorithm === 'token');
  let verdict: Verdict = { ok: false, reason: 'missing' };
  for (const [index, signature] of signatures.entries()) {
    const check = {
      ...{ signature, keys: keys[index] ?? [], message, now },
      id: fillFirstTemplate(id, createPlaceReader(message, { content })),
    };
    const inItems = signature.at.flatMap(listPlaces).some(({ source }) => source === 'item');
    const items = inItems ? listItems(webhook, content) : [undefined];
    for (const item of items ?? []) {
      verdict = await checkMessageSignature(check, { content, item });
      if (!verdict.ok) break;
    }
    if (verdict.ok || verdict.reason !== 'missing') return verdict;
  }
  return hasTokens ? { ok: false, reason: 'no_token' } : verdict;
};

/** Finds out whether a message was signed too long ago, if it says so in its body. */
const findLate = (
  { webhook, message, now }: ReadInput,
  { verified }: Extract<Verdict, { ok: true }>,
  content: unknown,
) => {
  const signed = verified === 'signature' ? webhook.signatures : [];
  return signed.map((signature) => checkTimeInBody(signature, message, { content }, now)).find((late) => late !== null);
};

const isInBody = (templates: readonly string[]): boolean =>
  templates.flatMap(listPlaces).some(({ source }) => source === 'body' || source === 'item');

/** How large a message may be that is parsed only to find out whether it's a handshake without a signature. */
const MOST_HANDSHAKE_BYTES = 16 * 1024;

/**
 * Whether a message is parsed before it's verified, because what verifies it is in its body. Anyone can send such a
 * message, and parsing costs much more than verifying.
 */
const mayParseUnverified = ({ signatures, id = [], handshakes = [] }: Webhook, { method, body }: Message): boolean => {
  if (method === 'GET') return false;
  const proves = signatures.some(({ at, signed = '' }) => isInBody(at) || (signed.includes('{id}') && isInBody(id)));
  const asks = handshakes.some(({ signed, when }) => !signed && isInBody(Object.keys(when)));
  return proves || (asks && body.length <= MOST_HANDSHAKE_BYTES);
};

/** Lists the items of a message. Null if there is no list where the entry says. */
const listItems = ({ items }: Webhook, content: unknown): readonly unknown[] | null => {
  if (items === undefined) return [content];
  const found = pick(content, items);
  return Array.isArray(found) && found.length <= MOST_ITEMS ? found : null;
};

/** Whether a message has one of the values at one of the places. An empty value stands for any. */
const matchesAny = (values: Webhook['quiet'] = {}, message: Message, known: Known): boolean =>
  Object.entries(values).some(([template, wanted]) => {
    const text = fillTemplate(template, createPlaceReader(message, known));
    return text !== null && (wanted.includes('') || wanted.includes(text));
  });

const listNamed = (templates: readonly string[] = [], message: Message, known: Known): string[] => {
  for (const template of templates) {
    const values = listValues(template, message, known);
    if (values.length > 0) return [...new Set(values)];
  }
  return [];
};

const readType = ({ webhook, message }: ReadInput, known: Known): string =>
  toLabel(fillFirstTemplate(webhook.type, createPlaceReader(message, known))) ?? UNNAMED;

/** Reads an item. Null if it says that access was withdrawn, but not whose, or when. */
const readItem = (
  input: ReadInput,
  known: Known,
  { payload, digestHere, mayWithdraw }: { payload: string; digestHere: () => string; mayWithdraw: boolean },
): MessageItem | null => {
  const { webhook, message, now } = input;
  const { id = [], repeats, about, withdrawn = {} } = webhook;
  const read = createPlaceReader(message, known);
  const named = readType(input, known);
  const ofItem = fillFirstTemplate(id, read);
  const rule = mayWithdraw && Object.hasOwn(withdrawn, named) ? withdrawn[named] : undefined;
  const withdrawal = rule ? readWithdrawal(known.item, rule, now) : null;
  if (rule && !withdrawal) return null;
  const isForOne = matchesAny(about.unless, message, known);
  const list = (templates: readonly string[] | undefined) => (isForOne ? [] : listNamed(templates, message, known));
  return {
    type: named,
    id: ofItem,
    repeat: repeats === 'never' ? null : repeats === 'id' && ofItem !== null ? digest('id', ofItem) : digestHere(),
    named: {
      account: list(about.account),
      installation: list(about.installation),
      host: list(about.host),
    },
    payload,
    withdrawal,
  };
};

const printItem = (item: unknown, { isJson }: NonNullable<MessageContent>, { webhook, message }: ReadInput): string =>
  webhook.items === undefined && isJson ? message.body.toString('utf8') : JSON.stringify(item);

const readItems = (
  input: ReadInput,
  content: NonNullable<MessageContent>,
  { verified, claims }: { verified: Verified; claims: Known['claims'] },
): { items: MessageItem[]; lastType: string } | null => {
  const { webhook, message } = input;
  const items = listItems(webhook, content.value);
  if (!items) return null;
  let digestOfBody: string | undefined;
  /** Hashes the body at most once, however many items are in it. */
  const digestAt = (index: number): string => {
    digestOfBody ??= digest(message.body);
    return digest(String(index), digestOfBody);
  };
  let lastType = UNNAMED;
  const read = items.flatMap((item, index) => {
    const known = { content: content.value, item, claims: claims ?? null };
    lastType = readType(input, known);
    if (matchesAny(webhook.quiet, message, known)) return [];
    const payload = printItem(item, content, input);
    const mayWithdraw = verified === 'signature';
    return [readItem(input, known, { payload, digestHere: () => digestAt(index), mayWithdraw })];
  });
  return read.every((item) => item !== null) ? { items: read, lastType } : null;
};

/** Verifies and reads a message. Does nothing else, so that a large one can be read in another thread. */
export const readMessage = async (input: ReadInput): Promise<Reading> => {
  const { webhook, keys, message } = input;
  const { handshakes = [], signatures } = webhook;
  const early = mayParseUnverified(webhook, message) ? parseContent(message, webhook) : null;
  const all = keys.flat();
  const open = readHandshake(
    handshakes.filter(({ signed }) => !signed),
    message,
    { content: early?.value },
  );
  if (open) return { kind: 'handshake', ...open, seen: null };
  // A plain GET only checks whether our URL responds.
  if (message.method === 'GET') return { kind: 'items', verified: 'none', items: [], seen: null };
  const verdict = await verify(input, early?.value);
  if (!verdict.ok) return { kind: 'refused', reason: verdict.reason };
  const content = early ?? parseContent(message, webhook);
  if (!content) return { kind: 'malformed' };
  const late = findLate(input, verdict, content.value);
  if (late) return { kind: 'refused', reason: late };
  const key = all.find(({ number }) => number === verdict.key)?.key;
  const seenKey = signatures.length === 0 ? null : verdict.key;
  const { claims } = verdict;
  const known = { content: content.value, claims };
  const closed = readHandshake(
    handshakes.filter(({ signed }) => signed),
    message,
    known,
    key,
  );
  if (closed) return { kind: 'handshake', ...closed, seen: { type: readType(input, known), key: seenKey } };
  const verified = signatures.length === 0 ? 'none' : verdict.verified;
  const read = readItems(input, content, { verified, claims });
  if (!read) return { kind: 'malformed' };
  return { kind: 'items', verified, items: read.items, seen: { type: read.lastType, key: seenKey } };
};
