import type { ServerAnswer } from '../../oauth/index.ts';
import { withoutLastSlash } from './authorization-query.ts';
import { PREFIXES } from './paths.ts';

const FIELDS = ['token', 'refresh_token'] as const;
const OURS = Object.values(PREFIXES);

/** Takes our prefix off a token, as oidc-provider knows it. */
const withoutPrefix = (token: string): string => {
  const prefix = OURS.find((one) => token.startsWith(one));
  return prefix === undefined ? token : token.slice(prefix.length);
};

/** A client's form with tokens as oidc-provider knows them. A field that is there twice stays so, and is refused. */
export const toProviderForm = (body: unknown): Buffer => {
  const form = new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '');
  for (const field of FIELDS) {
    const values = form.getAll(field);
    form.delete(field);
    for (const value of values) form.append(field, withoutPrefix(value));
  }
  // There is one resource and one scope, and a client gets no more by naming others.
  const resources = form.getAll('resource');
  form.delete('resource');
  for (const resource of resources) form.append('resource', withoutLastSlash(resource));
  form.delete('scope');
  return Buffer.from(form.toString());
};

type Tokens = { access_token?: string; refresh_token?: string };

/** The answer with our prefixes before the tokens. */
export const withPrefixes = (answer: ServerAnswer): ServerAnswer => {
  const { access_token: access, refresh_token: refresh, ...rest }: Tokens = Object(answer.body);
  if (access === undefined) return answer;
  const tokens = {
    access_token: `${PREFIXES.access}${access}`,
    ...(refresh === undefined ? {} : { refresh_token: `${PREFIXES.refresh}${refresh}` }),
  };
  return { ...answer, body: { ...tokens, ...rest } };
};
