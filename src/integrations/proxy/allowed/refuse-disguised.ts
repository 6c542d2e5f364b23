import type { IncomingHttpHeaders } from 'node:http';
import { disguiseRefused } from '../errors.ts';
import { plainName, tokensOf } from '../proxy-headers.ts';

/** Headers that make some servers read another method or path than the request's own. */
const OVERRIDES = /method|verb|original|override|rewrit/;
/** Tells which method a page of another origin will use. It changes nothing. */
const HARMLESS = 'access-control-request-method';
/** Headers with which providers let a powerful credential act for another account, or for a person. */
const ACTS_FOR =
  /^(?:sudo|as-user|on-behalf-of(?:-.*)?|x-on-behalf-of(?:-.*)?|impersonate-.*|x-impersonate(?:-.*)?|stripe-account|stripe-context|dropbox-api-select-(?:user|admin)|x-zendesk-on-behalf-of|x-act-as(?:-.*)?|act-as(?:-.*)?|assume-user|paypal-auth-assertion|impersonationresourceid|mscrmcallerid|callerobjectid|x-redmine-switch-user|api-username|es-security-runas-user)$/;
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

/** Fields of the query with which providers let a powerful credential act for another account, or for a person. */
const ACTS_FOR_FIELD = /^(?:sudo|onbehalfof[a-z]*|impersonat[a-z]*|actas[a-z]*|runas[a-z]*|assumeuser)$/;

const actsFor = (field: string): boolean =>
  ACTS_FOR_FIELD.test(
    decode(field.split('=')[0] ?? '')
      .toLowerCase()
      .replaceAll(/[^a-z]/g, ''),
  );

/** Names in `Connection` that say something about the network connection, and nothing about the request. */
const ABOUT_CONNECTION = new Set(['', 'close', 'keep-alive', 'te']);

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
  const dropped = tokensOf(headers.connection).find((name) => !ABOUT_CONNECTION.has(name));
  if (dropped !== undefined) throw disguiseRefused('A "Connection" header that names another header');
  const fields = query.split(/[&;]/);
  if (fields.some(overrides)) throw disguiseRefused('A field of the query that names a method');
  if (fields.some(actsFor)) throw disguiseRefused('A field of the query that names another account');
};

const FORM = /^\s*(?:application\/x-www-form-urlencoded|multipart\/)/i;
const MULTIPART = /^\s*multipart/i;
/** The name of a part, in either of its spellings, or its ID, and what the part begins with. */
const PART = /(?:\bname\*?\s*=|^content-id\s*:)\s*"?(?:utf-8'[\w-]*')?<?([^"\r\n;>]*)(?=([\s\S]{0,300}))/gim;
const PART_BEGINS = /\r?\n\r?\n\s*([^\r\n]{0,20})/;
/** Bounds the work for one form. */
const MOST_FIELDS = 1_000;

/** Lists the fields of a form, and one more than `MOST_FIELDS` at most. */
const listFields = (text: string, isMultipart: boolean): string[] =>
  isMultipart
    ? [...text.matchAll(PART).take(MOST_FIELDS + 1)].map(
        ([, name = '', rest = '']) => `${name}=${PART_BEGINS.exec(rest)?.[1] ?? ''}`,
      )
    : text.split(/[&;]/, MOST_FIELDS + 1);

/** The values of a header as they're sent, in any spelling that a server may read as this header. */
const valuesOf = (raw: readonly string[], name: string): string[] =>
  raw.flatMap((value, at) => (at % 2 === 1 && plainName(raw[at - 1] ?? '') === name ? [value] : []));

/**
 * Refuses a form with a field that makes some servers read another method. `content`: null if there is no body, and no
 * buffer if it's too large to be kept, so that it can't be looked through.
 */
export const refuseDisguisedForm = (rawHeaders: readonly string[], content: unknown): void => {
  if (content === null) return;
  const types = valuesOf(rawHeaders, 'content-type');
  if (types.length > 1) throw disguiseRefused('More than one "Content-Type"');
  const [type] = types;
  if (type !== undefined && !FORM.test(type)) return;
  const isPlain = valuesOf(rawHeaders, 'content-encoding').every((encoding) => encoding === 'identity');
  if (!Buffer.isBuffer(content) || !isPlain)
    throw disguiseRefused('A form that is compressed, or larger than a megabyte,');
  const fields = listFields(content.toString('latin1'), MULTIPART.test(type ?? ''));
  if (fields.length > MOST_FIELDS) throw disguiseRefused(`A form with more than ${MOST_FIELDS} fields`);
  if (fields.some(overrides)) throw disguiseRefused('A field of the form that names a method');
};
