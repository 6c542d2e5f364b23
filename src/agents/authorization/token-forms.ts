import type { ServerAnswer } from '../../oauth/index.ts';
import { withoutLastSlash } from './authorization-query.ts';
import { PREFIXES } from './paths.ts';

const TOKENS: readonly string[] = ['token', 'refresh_token'];
/** Names no resource, so that it's refused as the target. */
const NO_RESOURCE = 'urn:patchbay:several';
const OURS = Object.values(PREFIXES);

/** Takes our prefix off a token, as oidc-provider knows it. */
const withoutPrefix = (token: string): string => {
  const prefix = OURS.find((one) => token.startsWith(one));
  return prefix === undefined ? token : token.slice(prefix.length);
};

const toProviderField = ([name, value]: [string, string]): [string, string] => {
  if (TOKENS.includes(name)) return [name, withoutPrefix(value)];
  return name === 'resource' ? [name, withoutLastSlash(value)] : [name, value];
};

/**
 * A client's form with tokens as oidc-provider knows them. A field that is there twice stays so, and is refused. There
 * is one scope, and a client gets no more by naming another.
 */
export const toProviderForm = (form: URLSearchParams): Buffer => {
  const fields = [...form].filter(([name]) => name !== 'scope').map(toProviderField);
  const named = fields.filter(([name]) => name === 'resource').length;
  const single = named > 1 ? fields.filter(([name]) => name !== 'resource') : fields;
  return Buffer.from(String(new URLSearchParams(named > 1 ? [...single, ['resource', NO_RESOURCE]] : single)));
};

/** The refresh token in a form, as oidc-provider knows it. */
export const refreshTokenIn = (form: URLSearchParams): string => withoutPrefix(form.get('refresh_token') ?? '');

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
