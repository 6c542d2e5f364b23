import { Refusal } from '../../platform/index.ts';

const refuseProxy = (
  status: number,
  reason: string,
  message: string,
  details?: ConstructorParameters<typeof Refusal>[3],
) => new Refusal(status, `proxy.${reason}`, message, details);

export const noApi = () => refuseProxy(409, 'no_api', "This provider's entry doesn't say where its API is.");

export const pathRefused = () =>
  refuseProxy(
    400,
    'path_refused',
    'The path contains something that could lead out of the API: dot segments, backslashes, control characters, or an empty first segment.',
  );

export const patternInvalid = (pattern: string) =>
  new Refusal(
    400,
    'tokens.pattern_invalid',
    `"${pattern}" isn't a pattern for a path. It begins with a slash. "*" stands for one whole segment, and "**" for the rest, only at the end. Everything else is compared as it's written, so it can't have empty segments, a query, or encoded characters that need no encoding.`,
  );

/** The code of what a token's rights refuse. */
export const NOT_ALLOWED = 'tokens.not_allowed';

const notAllowed = (message: string) => new Refusal(403, NOT_ALLOWED, message);

export const requestNotAllowed = ({
  method,
  path,
  provider,
  host,
  connection,
}: Record<'method' | 'path' | 'provider', string> & Record<'host' | 'connection', string | null>) =>
  notAllowed(
    `This token's "allow" doesn't include ${method} ${path} at ${provider}${connection === null ? '' : `, connection "${connection}"`}${host === null ? '' : `, host "${host}"`}.`,
  );

export const pathUnclear = () =>
  notAllowed(
    "A provider could read this path in more than one way, so it can't be compared with what this token is allowed. Leave out encoded slashes, semicolons, empty segments, and encoded characters that need no encoding.",
  );

/** `label`: the account that the token belongs to, if its connection has another one now. */
export const accountNotAllowed = (connection: string, label: string | null) =>
  notAllowed(
    label === null
      ? `This token's "allow" doesn't include this connection, or another account or site has taken its place since the token was made.`
      : `This token was made for the account "${label}". Another account or site has taken its place under the name "${connection}", so make a new token.`,
  );

export const disguiseRefused = (what: string) =>
  notAllowed(`${what} could make the provider read another request, so restricted tokens can't send it. Leave it out.`);

export const queryRefused = () =>
  refuseProxy(
    400,
    'query_refused',
    'The query contains a space, a number sign, or another character that has to be encoded.',
  );

export const headerRefused = (name: string) =>
  refuseProxy(400, 'header_refused', `The proxy can't pass on "${name}". Leave it out.`);

export const bodyRefused = () =>
  refuseProxy(400, 'body_refused', "A GET or HEAD request can't have a body here. Leave it out.");

export const proxyBodyTooLarge = () =>
  refuseProxy(413, 'body_too_large', 'The body is too large. The proxy passes on up to 50 MiB.');

export const proxyBodyTooSlow = () =>
  refuseProxy(408, 'body_too_slow', 'The body took too long to arrive.', { headers: { connection: 'close' } });

export const hostUnknown = (names: readonly string[]) =>
  refuseProxy(
    400,
    'host_unknown',
    names.length === 0
      ? 'This provider has only one host. Leave out the name of a host.'
      : `"Patchbay-Host" must be one of: ${names.join(', ')}.`,
  );

/** The API's URL needs a value that only connecting again can provide. */
export const apiUnknown = () =>
  refuseProxy(409, 'api_unknown', "This connection doesn't know where its account's API is. Connect again.");

export const apiNotAllowed = () =>
  refuseProxy(
    409,
    'host_refused',
    "This connection's API is on a host that isn't the provider's own, so no token is sent there.",
  );

export const providerUnreachable = () =>
  refuseProxy(
    502,
    'provider_unreachable',
    "The provider couldn't be reached, or its response wasn't valid HTTP. Try again.",
  );

export const providerTooSlow = () =>
  refuseProxy(
    504,
    'provider_too_slow',
    "The provider didn't respond within a minute. It may still have carried out the request.",
  );

export const tooManyProxied = () =>
  refuseProxy(429, 'too_many', 'The team has too many requests in progress at providers. Wait until some have ended.', {
    headers: { 'retry-after': '1' },
  });
