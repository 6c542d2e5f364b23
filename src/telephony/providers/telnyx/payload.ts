import { contentTypeOf, type Delivery, FORM, JSON_TYPE, jsonOf } from '../../contract/delivery.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A Call Control event: what stands in the envelope's `data`. */
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

/** Written in several ways, with six digits after the point or none; without a zone it is UTC. */
export const toInstant = (value: unknown): number | null => {
  const text = textOf(value);
  if (!text) return null;
  const instant = Date.parse(/(?:z|gmt|utc|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  return Number.isNaN(instant) ? null : instant;
};

/** The two languages look different at the first byte: a form cannot begin with a brace. */
const looksLikeJson = ({ body }: Delivery): boolean => /^\s*\{/.test(body.toString('utf8', 0, 64));

/** The event of a Call Control delivery; null: it is none. */
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

/** The parameters of a TeXML delivery; null: the bytes are none, whatever the content type says, which is not signed. */
export const formOf = (delivery: Delivery): URLSearchParams | null =>
  delivery.method === 'POST' && contentTypeOf(delivery) === FORM && !looksLikeJson(delivery)
    ? new URLSearchParams(delivery.body.toString('utf8'))
    : null;
