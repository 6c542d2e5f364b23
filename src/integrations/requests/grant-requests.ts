import type { Secret } from '../../platform/index.ts';
import { matchesAny } from '../catalogue/error-sign.ts';
import { pick, pickText } from '../catalogue/pick.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { ResolvedProvider, ResponseFields } from '../catalogue/provider.ts';
import { type ProviderFailure, toFailure } from '../catalogue/provider-failure.ts';
import { type AskContext, askProvider, type ProviderResponse, type Target } from './ask-provider.ts';
import type { RequestPlan } from './provider-request.ts';
import { errorCodeOf, readTokens, type Tokens } from './token-response.ts';

/** The requests about a grant: get its tokens, get new tokens, and revoke it. */

/** A connection's tokens, for immediate use. */
export type OpenTokens = Pick<Tokens, 'accessToken' | 'refreshToken'>;

export type Granted = { tokens: Tokens; response: unknown; failure: null } | { tokens: null; failure: ProviderFailure };

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

/** Makes a second request, for providers where the first token is only used to get the one to keep. */
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

export type RevokeOutcome =
  | { outcome: 'revoked' | 'already_gone'; failure: null }
  | { outcome: null; failure: ProviderFailure };

const ALREADY_GONE = { outcome: 'already_gone', failure: null } as const satisfies RevokeOutcome;

export type TokenToRevoke = { kind: 'access' | 'refresh'; token: Secret };

/** Picks the token that the provider needs for a revocation. */
export const pickTokenToRevoke = (
  { record }: ResolvedProvider,
  { accessToken, refreshToken }: OpenTokens,
): TokenToRevoke =>
  record.revoke?.token !== 'access' && refreshToken
    ? { kind: 'refresh', token: refreshToken }
    : { kind: 'access', token: accessToken };

/**
 * Statuses that mean that the token has already ended. If the client authenticates, a 401 is about the client. If only
 * the token is sent, a 401 is about the token. No other status means it: by RFC 7009, revoking a token that has ended
 * succeeds.
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
  // If the client was rejected, a status alone doesn't show that the token has ended.
  const telling = failure?.kind === 'invalid_client' ? gone.filter((sign) => typeof sign !== 'number') : gone;
  if (matchesAny(telling, { status, code: errorCodeOf(body, record), body })) return ALREADY_GONE;
  if (failure) return { outcome: null, failure };
  if (ok.includes(status)) return { outcome: 'revoked', failure: null };
  return { outcome: null, failure: toFailure({ status, code: null, body }) };
};
