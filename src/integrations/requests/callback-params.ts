import { createHmac } from 'node:crypto';
import { equalSecrets, type Secret } from '../../platform/index.ts';
import { matchesWhole } from '../catalogue/find-entry-flaws.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import { callbackMalformed, issuerWrong } from '../errors.ts';

const MOST_CODE_CHARACTERS = 6_000;

/** The params of a callback. Each name occurs once. */
export type CallbackParams = ReadonlyMap<string, string>;

export const readCallbackParams = (search: URLSearchParams): CallbackParams => {
  const params = new Map<string, string>();
  for (const [name, value] of search) {
    if (params.has(name)) throw callbackMalformed('a parameter appears twice');
    params.set(name, value);
  }
  return params;
};

/**
 * Checks `iss` in a callback (RFC 9207). It must be the entry's issuer. It may be missing only if the entry doesn't
 * have `issuerInCallback`.
 */
export const checkIssuer = ({ issuer, issuerInCallback }: FullRecord, params: CallbackParams): void => {
  const said = params.get('iss');
  if (issuer !== undefined && said !== undefined && said !== issuer) throw issuerWrong();
  if (issuerInCallback && said === undefined) throw issuerWrong();
};

/**
 * Checks the signature of a callback. Some providers sign it with the client's secret, over all other params sorted by
 * name.
 */
export const checkSignature = ({ callback }: FullRecord, params: CallbackParams, secret: Secret | null): void => {
  if (callback?.hmacParam === undefined) return;
  const signed = [...params]
    .filter(([name]) => name !== callback.hmacParam)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('&');
  const expected = createHmac('sha256', secret?.reveal() ?? '')
    .update(signed)
    .digest('hex');
  const given = params.get(callback.hmacParam) ?? '';
  if (!secret || !equalSecrets(expected, given)) throw callbackMalformed('its signature is wrong');
};

export const readCode = ({ callback }: FullRecord, params: CallbackParams): string => {
  const code = params.get(callback?.codeParam ?? 'code') ?? '';
  if (code === '') throw callbackMalformed('it has no code');
  if (code.length > MOST_CODE_CHARACTERS) throw callbackMalformed('the code is too long');
  return code;
};

/**
 * Reads the values that the entry keeps. A value that doesn't match its pattern is refused, not dropped. A value that
 * was given when the connect began must come back unchanged, because it may decide which host gets the code.
 */
export const readKeptParams = (
  { callback, params: declared = {} }: FullRecord,
  params: CallbackParams,
  given: Values,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(callback?.keep ?? {}).flatMap(([name, { param, pattern, required }]) => {
      const value = params.get(param);
      if (value === undefined && !required) return [];
      if (value === undefined || !matchesWhole(pattern, value))
        throw callbackMalformed(`"${param}" is missing or invalid`);
      if (Object.hasOwn(declared, name) && given[name] !== value)
        throw callbackMalformed(`"${param}" doesn't match the request`);
      return [[name, value]];
    }),
  );

export const readGrantedScopes = ({ callback }: FullRecord, params: CallbackParams): string[] | null => {
  const text = callback?.scopeParam === undefined ? undefined : params.get(callback.scopeParam);
  return text === undefined ? null : text.split(/[\s,]+/).filter((scope) => scope !== '');
};
