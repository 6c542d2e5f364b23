import type { IncomingHttpHeaders } from 'node:http';
import { disguiseRefused } from '../errors.ts';

/** Headers that make some servers read another method or path than the request's own. */
const OVERRIDES = /method|verb|original|override|rewrit/;
/** Tells which method a page of another origin will use. It changes nothing. */
const HARMLESS = 'access-control-request-method';
/** Headers with which providers let a powerful credential act for another account, or for a person. */
const ACTS_FOR =
  /^(?:sudo|as-user|on-behalf-of(?:-.*)?|x-on-behalf-of(?:-.*)?|impersonate-.*|x-impersonate(?:-.*)?|stripe-account|stripe-context|dropbox-api-select-(?:user|admin)|x-zendesk-on-behalf-of|x-act-as(?:-.*)?|act-as(?:-.*)?)$/;
const OVERRIDING_FIELD = /^(?:x?http)?(?:request)?(?:method|verb)(?:override)?$/;
/** A field of the query that Google's APIs read as headers. */
const HEADERS_FIELD = /^httpheaders$/;
const VERB = /^(?:get|head|post|put|patch|delete|options|merge|copy|move|link|unlink|purge)$/i;

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

/**
 * Whether a field of the query makes some servers read another method. A field called just `method` may name a
 * procedure, so it's refused only with the name of a method.
 */
const overrides = (field: string): boolean => {
  const [name = '', ...value] = field.split('=').map(decode);
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (HEADERS_FIELD.test(plain)) return true;
  if (!/method|verb/.test(plain)) return false;
  return (OVERRIDING_FIELD.test(plain) && name.toLowerCase() !== 'method') || VERB.test(value.join('=').trim());
};

/** Makes names comparable. Some servers treat `X_Key` as `X-Key`. */
const plainName = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/**
 * Refuses a request that a server may read as another one than it looks, or as one about another account. `own`: the
 * headers of the provider's entry that name the account.
 */
export const refuseDisguised = (headers: IncomingHttpHeaders, query: string, own: readonly string[]): void => {
  const fixed = new Set(own.map(plainName));
  const isRefused = (name: string): boolean =>
    (OVERRIDES.test(name) && name !== HARMLESS) || ACTS_FOR.test(name) || fixed.has(name);
  const header = Object.keys(headers).map(plainName).find(isRefused);
  if (header !== undefined) throw disguiseRefused(`The header "${header}"`);
  if (query.split(/[&;]/).some(overrides)) throw disguiseRefused('A field of the query that names a method');
};

const FORM = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)/i;
const MULTIPART = /^\s*multipart/i;
const PART_NAME = /\bname\s*=\s*"?([^"\r\n;]*)/gi;
/** Bounds the work for one form. */
const MOST_FIELDS = 1_000;

/** Lists the fields of a form, and one more than `MOST_FIELDS` at most. */
const listFields = (text: string, isMultipart: boolean): string[] =>
  isMultipart
    ? [...text.matchAll(PART_NAME).take(MOST_FIELDS + 1)].map(([, name = '']) => name)
    : text.split(/[&;]/, MOST_FIELDS + 1);

/**
 * Refuses a form with a field that makes some servers read another method. `content`: null if there is no body, and no
 * buffer if it's too large to be kept, so that it can't be looked through.
 */
export const refuseDisguisedForm = (
  { 'content-type': type, 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders,
  content: unknown,
): void => {
  if (content === null || (type !== undefined && !FORM.test(type))) return;
  if (!Buffer.isBuffer(content) || encoding !== 'identity')
    throw disguiseRefused('A form that is compressed, or larger than a megabyte,');
  const fields = listFields(content.toString('latin1'), MULTIPART.test(type ?? ''));
  if (fields.length > MOST_FIELDS) throw disguiseRefused(`A form with more than ${MOST_FIELDS} fields`);
  if (fields.some(overrides)) throw disguiseRefused('A field of the form that names a method');
};
