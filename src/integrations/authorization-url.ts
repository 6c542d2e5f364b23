import { hash } from 'node:crypto';
import { expandAddress, expandText, type Values } from './placeholders.ts';
import type { FullRecord } from './provider.ts';

export type AuthorizationRequest = {
  clientId: string;
  redirectUri: string;
  state: string;
  verifier: string;
  scopes: readonly string[];
  values: Values;
};

const challengeOf = (verifier: string): string => hash('sha256', verifier, 'base64url');

/** The scopes of a request: those that were asked for, else the defaults, and always what identity and refresh need. */
export const scopesOf = ({ scopes, requiredScopes = [] }: FullRecord, asked: readonly string[] | null): string[] => [
  ...new Set([...requiredScopes, ...(asked ?? scopes)]),
];

/** A `+` between scopes is meant as it stands: encoded, it would be part of a scope. */
const encodeScopes = (scopes: readonly string[], separator: ' ' | ',' | '+'): string =>
  separator === '+' ? scopes.map(encodeURIComponent).join('+') : encodeURIComponent(scopes.join(separator));

export const buildAuthorizationUrl = (record: FullRecord, request: AuthorizationRequest): string => {
  const { authorize, pkce = 'supported', callback } = record;
  const { clientId, redirectUri, state, verifier, scopes, values } = request;
  const known = { ...values, client_id: clientId, redirect_uri: redirectUri };
  const url = expandAddress(authorize.url, known);
  const protocol: [string, string][] = [
    ['response_type', 'code'],
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    [callback?.stateParam ?? 'state', state],
    ...(pkce === 'off'
      ? []
      : ([
          ['code_challenge', challengeOf(verifier)],
          ['code_challenge_method', 'S256'],
        ] as [string, string][])),
  ];
  const sent = new Map<string, string>();
  for (const [name, value] of protocol)
    if (!authorize.omit?.includes(name)) sent.set(authorize.rename?.[name] ?? name, encodeURIComponent(value));
  if (scopes.length > 0 && !authorize.omit?.includes('scope'))
    sent.set(authorize.rename?.['scope'] ?? 'scope', encodeScopes(scopes, authorize.scopeSeparator ?? ' '));
  for (const [name, text] of Object.entries(authorize.params ?? {}))
    sent.set(name, encodeURIComponent(expandText(text, known)));
  const query = [...sent]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${value}`);
  return `${url.href.replace(/\?$/, '')}${url.search ? '&' : '?'}${query.join('&')}`;
};
