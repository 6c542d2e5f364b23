import { createHmac, type KeyObject } from 'node:crypto';
import { fillTemplate, type MessagePlace } from '../../catalogue/webhook/template.ts';
import type { Handshake } from '../../catalogue/webhook/webhook.ts';
import type { Known, Message } from './message.ts';
import { createPlaceReader, type PlaceReader } from './read-place.ts';

/** The response to a handshake. */
export type HandshakeReply = {
  contentType: 'text/plain; charset=utf-8' | 'application/json; charset=utf-8' | null;
  headers: Readonly<Record<string, string>>;
  body: string;
};

export type Answered = { reply: HandshakeReply; secret: string | null };

const HMAC = /\{hmac-(hex|base64):([^{}]+)\}/g;
/** A value that can be a header of a response. */
const HEADER_VALUE = /^[\x21-\x7e]{1,500}$/;

const toPlace = (text: string): MessagePlace => {
  const [source = '', ...path] = text.split(':');
  return { source: source as MessagePlace['source'], path: path.join(':') };
};

/** Fills in a template of an answer, which may contain HMACs of what the message says. */
const fillAnswer = (template: string, read: PlaceReader, key: KeyObject | undefined): string | null => {
  let isComplete = true;
  const computed = new Map<string, string>();
  for (const [whole, encoding, place = ''] of template.matchAll(HMAC)) {
    const text = read(toPlace(place));
    if (text === null || !key) isComplete = false;
    else
      computed.set(
        whole,
        createHmac('sha256', key)
          .update(text)
          .digest(encoding as 'hex' | 'base64'),
      );
  }
  if (!isComplete) return null;
  return computed.get(template) ?? fillTemplate(template, read);
};

const isMeant = ({ method = 'POST', when }: Handshake, message: Message, read: PlaceReader): boolean =>
  message.method === method &&
  Object.entries(when).every(([template, wanted]) => {
    const text = fillTemplate(template, read);
    return text !== null && (wanted === '' || text === wanted);
  });

const toReply = (handshake: Handshake, read: PlaceReader, key: KeyObject | undefined): HandshakeReply | null => {
  const { answer, headers = {} } = handshake;
  const filled = Object.entries(headers).map(([name, template]) => [name, fillAnswer(template, read, key)] as const);
  if (!filled.every(([, value]) => value !== null && HEADER_VALUE.test(value))) return null;
  const base = { headers: Object.fromEntries(filled) as Record<string, string> };
  if (!answer) return { ...base, contentType: null, body: '' };
  if ('text' in answer) {
    const body = fillAnswer(answer.text, read, key);
    return body === null ? null : { ...base, contentType: 'text/plain; charset=utf-8', body };
  }
  const values = Object.entries(answer.json).map(([name, template]) => [name, fillAnswer(template, read, key)]);
  if (values.some(([, value]) => value === null)) return null;
  return { ...base, contentType: 'application/json; charset=utf-8', body: JSON.stringify(Object.fromEntries(values)) };
};

/**
 * Answers a handshake. Null if the message is none of these, or if its values can't be used. `key` is the one that has
 * verified the message, if it's signed.
 */
export const readHandshake = (
  handshakes: readonly Handshake[],
  message: Message,
  known: Known,
  key?: KeyObject | undefined,
): Answered | null => {
  const read = createPlaceReader(message, known);
  for (const handshake of handshakes) {
    if (!isMeant(handshake, message, read)) continue;
    const reply = toReply(handshake, read, key);
    const secret = handshake.secret === undefined ? null : fillTemplate(handshake.secret, read);
    if (reply && (handshake.secret === undefined || secret !== null)) return { reply, secret };
  }
  return null;
};
