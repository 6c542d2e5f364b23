import type { IncomingHttpHeaders } from 'node:http';
import { disguiseRefused } from '../errors.ts';

/** Headers that make some servers read another method or path than the request's own. */
const OVERRIDES = /method|original|override|rewrit/;
/** Tells which method a page of another origin will use. It changes nothing. */
const HARMLESS = 'access-control-request-method';
const OVERRIDING_FIELD = /^(?:x?http)?(?:request)?method(?:override)?$/;
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
  if (!/method|verb/.test(plain)) return false;
  return (OVERRIDING_FIELD.test(plain) && name.toLowerCase() !== 'method') || VERB.test(value.join('=').trim());
};

/** Refuses a request that a server may read as another one than it looks. */
export const refuseDisguised = (headers: IncomingHttpHeaders, query: string): void => {
  const header = Object.keys(headers).find((name) => OVERRIDES.test(name) && name !== HARMLESS);
  if (header !== undefined) throw disguiseRefused(`The header "${header}"`);
  if (query.split(/[&;]/).some(overrides)) throw disguiseRefused('A field of the query that names a method');
};
