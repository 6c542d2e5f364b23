import { type Expected, isBasicOf } from './expected-request.ts';
import type { SimulatedProvider, Values } from './simulated-provider.ts';
import type { WireRequest } from './wire-request.ts';

export type Flaw = { error: 'invalid_request' | 'invalid_client' | 'invalid_grant'; reason: string; weight: number };

const flaw = (reason: string, error: Flaw['error'] = 'invalid_request', weight = 1): Flaw => ({
  error,
  reason,
  weight,
});

const show = (value: string): string => JSON.stringify(value.length > 120 ? `${value.slice(0, 120)}…` : value);

const errorFor = (param: string): Flaw['error'] => {
  if (/client_?(?:id|secret|key)|app_?(?:id|secret)/i.test(param)) return 'invalid_client';
  return /^(?:code|code_verifier|refresh_token)$/.test(param) ? 'invalid_grant' : 'invalid_request';
};

/** Every param that is missing, different, repeated or unexpected. */
export const compareParams = (where: string, got: readonly [string, string][], wanted: Values): Flaw[] => {
  const given = new Map(got);
  const twice = got.map(([name]) => name).filter((name, index, all) => all.indexOf(name) !== index);
  const extra = [...given.keys()].filter((name) => !Object.hasOwn(wanted, name));
  const wrong = Object.entries(wanted).flatMap(([name, value]) => {
    const present = given.get(name);
    if (present === value) return [];
    const kind = errorFor(name);
    // What distinguishes requests at one address.
    const weight = name === 'grant_type' ? 100 : 1;
    if (present === undefined) return [flaw(`${where} has no param "${name}" (wanted ${show(value)})`, kind, weight)];
    return [flaw(`${where} has "${name}" = ${show(present)}, wanted ${show(value)}`, kind, weight)];
  });
  return [
    ...wrong,
    ...twice.map((name) => flaw(`${where} has "${name}" twice`)),
    ...extra.map((name) =>
      flaw(`${where} has a param "${name}" that must not be there (${show(given.get(name) ?? '')})`),
    ),
  ];
};

const compareHeaders = (provider: SimulatedProvider, got: Values, { headers, basic, encoding }: Expected) => {
  const flaws = Object.entries(headers)
    .filter(([name, value]) => got[name] !== value)
    .map(([name, value]) => flaw(`header "${name}" is ${show(got[name] ?? '')}, wanted ${show(value)}`));
  const authorization = got['authorization'];
  if (basic && !isBasicOf(provider, authorization ?? '', basic.encoding))
    flaws.push(flaw(`the client must prove itself by Basic (${basic.encoding}-encoded)`, 'invalid_client'));
  if (!basic && headers['authorization'] === undefined && authorization !== undefined)
    flaws.push(flaw('there must be no Authorization header', 'invalid_client'));
  // Dropbox refuses a content type if there is no content.
  if (encoding === 'none' && headers['content-type'] === undefined && got['content-type'] !== undefined)
    flaws.push(flaw('there must be no Content-Type without a body'));
  return flaws;
};

const compareBody = ({ body }: WireRequest, { encoding, params }: Expected): Flaw[] => {
  const isNothing = Object.keys(params).length === 0 && body.params.length === 0 && body.encoding !== 'unreadable';
  const flaws = compareParams('the body', body.params, params);
  if (body.encoding !== encoding && !(isNothing && body.encoding === 'none'))
    flaws.unshift(flaw(`the body is ${body.encoding}, wanted ${encoding}`));
  return [...flaws, ...body.odd.map((name) => flaw(`"${name}" in the JSON body is no string`))];
};

/** Everything that makes this request differ from the expected one. */
export const findFlaws = (provider: SimulatedProvider, request: WireRequest, expected: Expected): Flaw[] => {
  const flaws: Flaw[] = [];
  if (request.method !== expected.method)
    flaws.push(flaw(`the method is ${request.method}, wanted ${expected.method}`));
  if (request.address.text.replace(/\/$/, '') !== expected.address.text.replace(/\/$/, ''))
    flaws.push(flaw(`the address is ${request.address.text}, wanted ${expected.address.text}`));
  return [
    ...flaws,
    ...compareParams('the query', request.address.query, Object.fromEntries(expected.address.query)),
    ...compareHeaders(provider, request.headers, expected),
    ...compareBody(request, expected),
  ];
};
