import { type NewEvent, toEventId, UNMATCHED } from './event.ts';

/** Leaves enough for the other fields, because an event has at most 20 KB. */
const MOST_DATA_BYTES = 19_000;
const MOST_TEXT = 300;
const MOST_INLINE_BYTES = 16_384;

type Data = NewEvent['data'];

const printFitting = (data: Data): string =>
  JSON.stringify({
    ...Object.fromEntries(
      Object.entries(data)
        .filter(([, value]) => typeof value !== 'object' || value === null)
        .map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, MOST_TEXT) : value]),
    ),
    truncated: true,
  });

const fits = (text: string, most: number): boolean => text.length <= most && Buffer.byteLength(text) <= most;

/** Prints an event's data. If it's too large, keeps only short fields. The full data is at its `url`. */
export const printData = (data: Data): string => {
  const text = JSON.stringify(data);
  return fits(text, MOST_DATA_BYTES) ? text : printFitting(data);
};

/** Adds a payload to printed data that isn't empty. Its text stays as it is, because numbers may have many digits. */
const addPayload = (text: string, payload: string): string => `${text.slice(0, -1)},"payload":${payload}}`;

const addressOf = ({ type }: Pick<NewEvent, 'type'>, id: string): string =>
  `/api/${type === UNMATCHED ? 'operator/' : ''}events/${toEventId(id)}`;

/**
 * Prints the data of a provider's event. `apart` is the payload if it's too large to be in the data, and null
 * otherwise.
 */
export const printReceived = (
  { type, data: given, payload }: Pick<NewEvent, 'type' | 'data' | 'payload'>,
  { id, url }: { id: string; url: string },
): { text: string; apart: string | null } => {
  const address = `${url}${addressOf({ type }, id)}`;
  const data = { ...given, url: address };
  if (payload === undefined) return { text: printData(data), apart: null };
  const whole = fits(payload, MOST_INLINE_BYTES) ? addPayload(JSON.stringify(data), payload) : null;
  if (whole !== null && fits(whole, MOST_DATA_BYTES)) return { text: whole, apart: null };
  return { text: printData({ ...data, payloadUrl: `${address}/payload` }), apart: payload };
};

/** TypeScript doesn't know these parts of JSON yet. */
const EXACT = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/** Whether a text may have a number that JavaScript would print in another way. */
const MAY_ROUND = /\d[\d.]{15}|\d[eE]/;

const keepDigits = (_: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? EXACT.rawJSON(source) : value;

/** Parses an event's data. A number with more digits than JavaScript keeps is printed as it was, such as a long ID. */
export const parseData = (text: string): Record<string, unknown> =>
  MAY_ROUND.test(text) ? (EXACT.parse(text, keepDigits) as Record<string, unknown>) : JSON.parse(text);
