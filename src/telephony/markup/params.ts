import { oncePer } from '../../platform/index.ts';
import {
  contentTypeOf,
  type Delivery,
  FORM,
  hasOurQuery,
  JSON_TYPE,
  jsonOf,
  OUR_PARAMS,
  queryOf,
} from '../contract/delivery.ts';

/** Parameter with the digest of a JSON body, which the provider adds to the URL. */
export const BODY_DIGEST = 'bodySHA256';

export type MarkupParams = ReadonlyMap<string, string>;

/** The parameters of a delivery by name, read once. `joined`: names and values without separators, as signed. */
type Form = { params: MarkupParams; hasRepeated: boolean; joined: string };

const isOurs = (name: string): boolean => OUR_PARAMS.has(name) || name === BODY_DIGEST;

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Sorts parameters by code unit. If a name is repeated, providers sign each of its different values only once. */
const sortEntries = (entries: [string, string][]): Form => {
  entries.sort(([one, first], [other, second]) => compare(one, other) || compare(first, second));
  const params = new Map<string, string>();
  let [hasRepeated, joined, before]: [boolean, string, string] = [false, '', ''];
  for (const [name, value] of entries) {
    const known = params.get(name);
    if (known === undefined) params.set(name, value);
    else hasRepeated = true;
    if (known === undefined || value !== before) joined += name + value;
    before = value;
  }
  return { params, hasRepeated, joined };
};

/** Sorts a form quickly if every name appears once, as it should, and otherwise like `sortEntries`. */
const sortForm = (form: URLSearchParams): Form => {
  const params = new Map<string, string>();
  let joined = '';
  form.sort();
  form.forEach((value, name) => {
    params.set(name, value);
    joined += name + value;
  });
  return params.size === form.size ? { params, hasRepeated: false, joined } : sortEntries([...form]);
};

const readForm = (delivery: Delivery): Form => {
  if (delivery.method === 'GET') return sortEntries([...queryOf(delivery)].filter(([name]) => !isOurs(name)));
  const type = contentTypeOf(delivery);
  if (type === FORM) return sortForm(new URLSearchParams(delivery.body.toString('utf8')));
  const fields = type === JSON_TYPE ? Object.entries(jsonOf(delivery)) : [];
  return sortEntries(fields.flatMap(([name, value]) => (typeof value === 'object' ? [] : [[name, String(value)]])));
};

/** Parses the parameters of a delivery once, because they are read many times. */
const formOf = oncePer(readForm);

/** Returns the parameters: the query of a GET, or else the body. They are read as signed: not trimmed, not nested. */
export const paramsOf = (delivery: Delivery): MarkupParams => formOf(delivery).params;

/** Returns what is signed in addition to the URL. */
export const joinedParamsOf = (delivery: Delivery): string => formOf(delivery).joined;

/**
 * Whether a delivery could be read in two ways. The query of a POST may contain only our own parameters, as we write
 * them. No name may appear twice: the order isn't signed, so either value could come first.
 */
export const isAmbiguous = (delivery: Delivery): boolean => {
  if (formOf(delivery).hasRepeated || !hasOurQuery(delivery)) return true;
  return delivery.method === 'POST' && ![...queryOf(delivery).keys()].every(isOurs);
};
