import type { Secret } from '../../platform/index.ts';
import { matchesAny } from '../catalogue/error-sign.ts';
import { pick, pickText } from '../catalogue/pick.ts';
import { expandText, placeholdersIn, type Values } from '../catalogue/placeholders.ts';
import type { RequestFields, ResolvedProvider, ResponseFields } from '../catalogue/provider.ts';
import { type ProviderFailure, toFailure } from '../catalogue/provider-failure.ts';
import type { Account } from '../catalogue/schemas.ts';
import { type AskContext, askProvider, type ProviderResponse, type Target } from './ask-provider.ts';
import type { RequestPlan } from './provider-request.ts';
import { errorCodeOf, readKept, readTokens, type Tokens } from './token-response.ts';

/** Requests about a grant: get its tokens, renew them, find out whose account it is, and end it. */

/** A connection's tokens, for immediate use. */
export type OpenTokens = Pick<Tokens, 'accessToken' | 'refreshToken'>;

export type Granted = { tokens: Tokens; response: unknown; failure: null } | { tokens: null; failure: ProviderFailure };

const MOST_LABEL_CHARACTERS = 200;
/**
 * Together with the ten seconds for the tokens, this fits within the fifteen of a request. A name isn't worth losing
 * the response for.
 */
const IDENTITY_MS = 4_000;
/** Large, because some providers describe the whole account. */
const MOST_IDENTITY_BYTES = 256 * 1024;
/** Even larger, because a few providers list everything that the account has access to. */
const MOST_BYTES_WITH_SITES = 1024 * 1024;

export const askForTokens = async (
  context: AskContext,
  target: Target,
  plan: RequestPlan,
  fields: ResponseFields | undefined,
  held: Secret | null = null,
): Promise<Granted> => {
  const { record } = target.provider;
  const response = await askProvider(context, target, plan);
  if (response.failure) return { tokens: null, failure: response.failure };
  const tokens = readTokens(record, fields, response.body, context.clock.now(), held);
  if (tokens) return { tokens, response: response.body, failure: null };
  return { tokens: null, failure: toFailure(response, record.errors) };
};

/** Makes a second request, for providers whose first token only serves to get the one to keep. */
const upgradeTokens = async (context: AskContext, target: Target, first: Granted): Promise<Granted> => {
  const { token } = target.provider.record;
  if (first.failure || !token.upgrade) return first;
  const { response: fields, ...request } = token.upgrade;
  const plan = { auth: token.auth ?? 'post', ...request, protocol: {}, namesClient: false } as const;
  const { accessToken, refreshToken, scopes, kept } = first.tokens;
  const values = { ...target.values, ...kept, access_token: accessToken.reveal() };
  const second = await askForTokens(context, { ...target, values }, plan, fields);
  if (second.failure) return second;
  const tokens = {
    ...second.tokens,
    refreshToken: second.tokens.refreshToken ?? refreshToken,
    scopes: second.tokens.scopes ?? scopes,
    kept: { ...kept, ...second.tokens.kept },
  };
  return { ...first, tokens };
};

export const exchangeCode = async (
  context: AskContext,
  target: Target,
  { code, verifier, redirectUri, state }: { code: string; verifier: string; redirectUri: string; state: string },
): Promise<Granted> => {
  const { token, pkce } = target.provider.record;
  const { response: fields, upgrade: _, ...request } = token;
  const protocol = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    ...(pkce === 'off' ? {} : { code_verifier: verifier }),
  };
  const plan = { ...request, protocol, namesClient: true };
  const known = { ...target, values: { ...target.values, redirect_uri: redirectUri, state } };
  return upgradeTokens(context, known, await askForTokens(context, known, plan, fields));
};

export const refreshTokens = async (
  context: AskContext,
  target: Target,
  { accessToken, refreshToken, redirectUri }: OpenTokens & { redirectUri: string },
): Promise<Granted> => {
  const { token, refresh } = target.provider.record;
  if (!refresh) throw new TypeError('This provider has no refresh.');
  const { url, method, auth, basicEncoding, body, headers, rename } = token;
  const inherited = { url, method, auth, basicEncoding, body, headers, rename };
  const own = Object.fromEntries(
    Object.entries(refresh).filter(([name]) => name in inherited || name === 'params' || name === 'omit'),
  );
  const refresh_token = refreshToken?.reveal() ?? '';
  const protocol: Values = refresh.with === 'access_token' ? {} : { grant_type: 'refresh_token', refresh_token };
  const plan = { ...inherited, ...own, protocol, namesClient: true } as RequestPlan;
  const sent = { redirect_uri: redirectUri, access_token: accessToken.reveal(), refresh_token };
  const known = { ...target, values: { ...target.values, ...sent } };
  return askForTokens(context, known, plan, refresh.response ?? token.response, accessToken);
};

/**
 * Makes a text safe to store and show: without control characters, without characters that change the direction of
 * text, and not too long.
 */
export const toLabel = (text: string | null): string | null => {
  const start = (text ?? '').slice(0, 4 * MOST_LABEL_CHARACTERS);
  const clean = [...start.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Co}]/gu, '')].slice(0, MOST_LABEL_CHARACTERS);
  return clean.length > 0 ? clean.join('') : null;
};

/** The account's ID, from a place in the response or from a value that is already known, such as `{realmId}`. */
const readAccountId = (response: unknown, id: string, values: Values): string | null => {
  const names = placeholdersIn(id);
  if (names.length === 0) return pickText(response, [id]);
  return names.every((name) => Object.hasOwn(values, name)) ? expandText(id, values) : null;
};

/** Asks the provider about an account, with its access token. */
export const askAbout = (
  context: AskContext,
  target: Target,
  accessToken: Secret,
  request: RequestFields & { url?: string },
): Promise<ProviderResponse> => {
  const { url = '', headers } = request;
  const plan: RequestPlan = {
    method: 'GET',
    auth: 'none',
    body: 'none',
    ...request,
    url,
    headers: { authorization: 'Bearer {access_token}', ...headers },
    protocol: {},
    namesClient: false,
    timeoutMs: IDENTITY_MS,
    mostBytes: target.provider.record.sites ? MOST_BYTES_WITH_SITES : MOST_IDENTITY_BYTES,
  };
  const values = { ...target.values, access_token: accessToken.reveal() };
  return askProvider(context, { ...target, values }, plan);
};

/**
 * Returns whose account it is, the values that the entry keeps of the response, and the response. If the provider
 * doesn't say whose it is, that stays unknown, because a name isn't worth losing a connection for.
 */
export const fetchAccount = async (
  context: AskContext,
  target: Target,
  { accessToken, response }: { accessToken: Secret; response: unknown },
): Promise<{ account: Account; kept: Values; response: unknown }> => {
  const { identity } = target.provider.record;
  if (!identity) return { account: { id: null, label: null }, kept: {}, response: null };
  const { url, id, label, keep = {} } = identity;
  const fetched = url ? await askAbout(context, target, accessToken, identity) : { body: response, failure: null };
  // An error may be a well-formed response, too, but it names no account. An ID that only the browser has brought
  // doesn't count then, either.
  const from = fetched.failure ? null : fetched.body;
  const accountId = fetched.failure ? null : toLabel(readAccountId(from, id, target.values));
  const account = { id: accountId, label: toLabel(pickText(from, [label])) ?? accountId };
  return { account, kept: readKept(from, keep), response: from };
};

export type RevokeOutcome =
  | { outcome: 'revoked' | 'already_gone'; failure: null }
  | { outcome: null; failure: ProviderFailure };

const ALREADY_GONE = { outcome: 'already_gone', failure: null } as const satisfies RevokeOutcome;

export type TokenToRevoke = { kind: 'access' | 'refresh'; token: Secret };

/** Picks the token that the provider wants for a revocation. */
export const pickTokenToRevoke = (
  { record }: ResolvedProvider,
  { accessToken, refreshToken }: OpenTokens,
): TokenToRevoke =>
  record.revoke?.token !== 'access' && refreshToken
    ? { kind: 'refresh', token: refreshToken }
    : { kind: 'access', token: accessToken };

/**
 * Statuses that mean that the token is already gone. If the client authenticates, a 401 is about the client. If only
 * the token is sent, a 401 is about the token. No other status is assumed to mean that, because by RFC 7009, revoking a
 * dead token succeeds.
 */
const goneBy = (auth: RequestPlan['auth']): number[] => (auth === 'none' ? [401] : []);

/** Finds a refusal in a response with status 200. */
const refusalWithin = (
  { record: { errors } }: ResolvedProvider,
  response: Extract<ProviderResponse, { failure: null }>,
): ProviderFailure | null => {
  const { body, code } = response;
  const okField = errors?.okField;
  const saysNo = okField === undefined ? pickText(body, ['error']) !== null : pick(body, okField) === false;
  return saysNo ? toFailure({ ...response, code: code ?? 'unnamed' }, errors) : null;
};

export const revokeToken = async (
  context: AskContext,
  target: Target,
  { kind, token }: TokenToRevoke,
): Promise<RevokeOutcome> => {
  const { record } = target.provider;
  if (!record.revoke) throw new TypeError('This provider has no revocation.');
  const { ok = [200, 204], param = 'token', token: _, kills: __, gone: signs, ...request } = record.revoke;
  const gone = signs ?? goneBy(request.auth);
  const text = token.reveal();
  const plan = { ...request, protocol: param === '' ? {} : { [param]: text }, namesClient: false };
  const values = { ...target.values, token: text, [`${kind}_token`]: text };
  const response = await askProvider(context, { ...target, values }, plan);
  const failure = response.failure ?? refusalWithin(target.provider, response);
  if (failure?.kind === 'invalid_grant') return ALREADY_GONE;
  const { body } = response;
  const status = response.status ?? 0;
  // If the client was rejected, a status alone doesn't prove that the token is gone.
  const telling = failure?.kind === 'invalid_client' ? gone.filter((sign) => typeof sign !== 'number') : gone;
  if (matchesAny(telling, { status, code: errorCodeOf(body, record), body })) return ALREADY_GONE;
  if (failure) return { outcome: null, failure };
  if (ok.includes(status)) return { outcome: 'revoked', failure: null };
  return { outcome: null, failure: toFailure({ status, code: null, body }) };
};
