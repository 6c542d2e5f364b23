import { contentTypeOf, type Delivery, JSON_TYPE, jsonOf, OUR_PARAMS, queryOf } from '../../contract/delivery.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** In the URLs of screened forwarding, where picking up doesn't mean a person answered. */
export const SCREENED = 'screen';

export const isOurs = (name: string): boolean => OUR_PARAMS.has(name) || name === SCREENED;

export const isScreened = (delivery: Delivery): boolean => queryOf(delivery).has(SCREENED);

/** The fields: JSON by POST; by GET, if the application uses it, the same names in the query. */
const readFields = (delivery: Delivery): Fields => {
  if (delivery.method === 'GET') return Object.fromEntries([...queryOf(delivery)].filter(([name]) => !isOurs(name)));
  return contentTypeOf(delivery) === JSON_TYPE ? jsonOf(delivery) : {};
};

/** A delivery is read several times but parsed once. */
const known = new WeakMap<Delivery, Fields>();

export const fieldsOf = (delivery: Delivery): Fields => {
  const fields = known.get(delivery) ?? readFields(delivery);
  known.set(delivery, fields);
  return fields;
};

export const textOf = (fields: Fields, name: string): string | null => {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z|[+-]\d\d:\d\d)?$/;

/** The documented examples have times with and without a Z; all of them are UTC (webhook pages, seen November 2026). */
export const instantOf = (fields: Fields, name: string): number | null => {
  const [, instant, zone = 'Z'] = INSTANT.exec(textOf(fields, name) ?? '') ?? [];
  const time = Date.parse(`${instant}${zone}`);
  return Number.isNaN(time) ? null : time;
};

const DURATION = /^P(?=[\dT])(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/;
const LONGEST_MS = 7 * 24 * 3_600_000;

const plausible = (ms: number): number | null => (ms >= 0 && ms <= LONGEST_MS ? ms : null);

/** `PT1M20.056S`. Absurd durations are dropped. */
export const durationMsOf = (fields: Fields): number | null => {
  const parts = DURATION.exec(textOf(fields, 'duration') ?? '');
  if (!parts) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return plausible(Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000));
};

/** From the moment a leg was answered until it ended. */
export const talkSecondsOf = (fields: Fields): number | null => {
  const answeredAt = instantOf(fields, 'answerTime');
  const endedAt = instantOf(fields, 'endTime');
  const ms = answeredAt === null || endedAt === null ? null : plausible(endedAt - answeredAt);
  return ms === null ? null : Math.round(ms / 1_000);
};
