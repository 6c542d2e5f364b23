import { contentTypeOf, type Delivery, FORM, JSON_TYPE, jsonOf } from '../../contract/delivery.ts';
import { type Fields, textOf, toInstant } from '../../provider-parts/values.ts';

/** A Call Control event: the envelope's `data`. */
export type ControlEvent = { id: string | null; type: string; occurredAt: number | null; payload: Fields };

export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** Whether a body is JSON, by its first character: a form can't start with a brace. */
const looksLikeJson = ({ body }: Delivery): boolean => /^\s*\{/.test(body.toString('utf8', 0, 64));

/** Returns the event of a Call Control delivery, or null. */
export const eventOf = (delivery: Delivery): ControlEvent | null => {
  if (delivery.method !== 'POST' || contentTypeOf(delivery) !== JSON_TYPE) return null;
  const data = fieldsOf(jsonOf(delivery)['data']);
  const type = data && textOf(data, 'event_type');
  const payload = data && fieldsOf(data['payload']);
  if (!type || !payload) return null;
  return { id: textOf(data, 'id'), type, occurredAt: toInstant(textOf(data, 'occurred_at')), payload };
};

/**
 * Returns the parameters of a TeXML delivery, or null for anything else. The content type isn't signed, so a body that
 * looks like JSON isn't read as a form.
 */
export const formOf = (delivery: Delivery): URLSearchParams | null =>
  delivery.method === 'POST' && contentTypeOf(delivery) === FORM && !looksLikeJson(delivery)
    ? new URLSearchParams(delivery.body.toString('utf8'))
    : null;
