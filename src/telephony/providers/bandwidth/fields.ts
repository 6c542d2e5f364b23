import { oncePer } from '../../../platform/index.ts';
import { contentTypeOf, type Delivery, JSON_TYPE, jsonOf, OUR_PARAMS, queryOf } from '../../contract/delivery.ts';
import { type Fields, msBetween, textOf, toDurationMs, toInstant } from '../../provider-parts/values.ts';

/** Parameter in the URLs of screened forwarding, where picking up doesn't mean that a person answered. */
export const SCREENED = 'screen';

export const isOurs = (name: string): boolean => OUR_PARAMS.has(name) || name === SCREENED;

export const isScreened = (delivery: Delivery): boolean => queryOf(delivery).has(SCREENED);

/** Reads the fields: from the JSON of a POST, or from the query of a GET, if the application is set to use GET. */
const readFields = (delivery: Delivery): Fields => {
  if (delivery.method === 'GET') return Object.fromEntries([...queryOf(delivery)].filter(([name]) => !isOurs(name)));
  return contentTypeOf(delivery) === JSON_TYPE ? jsonOf(delivery) : {};
};

/** Parses the fields of a delivery once, because they are read several times. */
export const fieldsOf = oncePer(readFields);

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?$/;

/**
 * Returns a time. The documented examples have times with and without a Z; all of them are UTC (webhook pages, seen
 * November 2026).
 */
export const instantOf = (fields: Fields, name: string): number | null => {
  const text = textOf(fields, name);
  return text !== null && INSTANT.test(text) ? toInstant(text) : null;
};

const DURATION = /^P(?=[\dT])(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/;

/** Parses a duration like `PT1M20.056S`. Absurd durations are dropped. */
export const durationMsOf = (fields: Fields): number | null => {
  const parts = DURATION.exec(textOf(fields, 'duration') ?? '');
  if (!parts) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return toDurationMs(Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000));
};

/** Returns the seconds from when a leg was answered until it ended. */
export const talkSecondsOf = (fields: Fields): number | null => {
  const ms = msBetween(instantOf(fields, 'answerTime'), instantOf(fields, 'endTime'));
  return ms === null ? null : Math.round(ms / 1_000);
};
