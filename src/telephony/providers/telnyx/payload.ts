import { contentTypeOf, type Delivery, FORM, JSON_TYPE, jsonOf } from '../../contract/delivery.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A Call Control event: the envelope's `data`. */
export type ControlEvent = {
  id: string | null;
  type: string;
  occurredAt: number | null;
  payload: Fields;
};

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** Written in several ways, with six decimals or none; UTC if there is no zone. */
export const toInstant = (value: unknown): number | null => {
  const text = textOf(value);
  if (!text) return null;
  const instant = Date.parse(/(?:z|gmt|utc|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  return Number.isNaN(instant) ? null : instant;
};

/** The first byte tells the two languages apart: a form can't start with a brace. */
const looksLikeJson = ({ body }: Delivery): boolean => /^\s*\{/.test(body.toString('utf8', 0, 64));

/** The event of a Call Control delivery, or null. */
export const eventOf = (delivery: Delivery): ControlEvent | null => {
  if (delivery.method !== 'POST' || contentTypeOf(delivery) !== JSON_TYPE) return null;
  const data = jsonOf(delivery)['data'];
  if (!isFields(data)) return null;
  const type = textOf(data['event_type']);
  if (!type || !isFields(data['payload'])) return null;
  return {
    id: textOf(data['id']),
    type,
    occurredAt: toInstant(data['occurred_at']),
    payload: data['payload'],
  };
};

/** The parameters of a TeXML delivery; null if the bytes aren't a form, whatever the unsigned content type says. */
export const formOf = (delivery: Delivery): URLSearchParams | null =>
  delivery.method === 'POST' && contentTypeOf(delivery) === FORM && !looksLikeJson(delivery)
    ? new URLSearchParams(delivery.body.toString('utf8'))
    : null;
