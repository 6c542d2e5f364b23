import type { Secret } from '../../platform/index.ts';
import { matchesAny } from '../catalogue/error-sign.ts';
import { pick, pickText } from '../catalogue/pick.ts';
import { expandText, placeholdersIn, type Values } from '../catalogue/placeholders.ts';
import type { ResponseFields } from '../catalogue/provider.ts';
import { type ProviderFailure, toFailure } from '../catalogue/provider-failure.ts';
import { type AskDependencies, type Asked, askProvider } from './ask-provider.ts';
import type { Client, RequestPlan } from './provider-request.ts';
import { errorCodeOf, readTokens, type Tokens } from './token-answer.ts';

/** The requests about a grant: get its tokens, get new ones, find out whose it is, end it. */

export type Granted = { tokens: Tokens; answer: unknown; failure: null } | { tokens: null; failure: ProviderFailure };

export type Account = { id: string | null; label: string | null };

const MOST_LABEL_CHARACTERS = 200;
/** Together with the ten seconds for the tokens, within a request's fifteen. A name isn't worth losing the response for. */
const IDENTITY_MS = 4_000;

const askForTokens = async (
  dependencies: AskDependencies,
  asked: Asked,
  plan: RequestPlan,
  response: ResponseFields | undefined,
  client: Client,
  values: Values,
): Promise<Granted> => {
  const { record } = asked;
  const asking = await askProvider(dependencies, asked, plan, client, values);
  if (asking.failure) return { tokens: null, failure: asking.failure };
  const tokens = readTokens(record, response, asking.answer, dependencies.clock.now());
  if (tokens) return { tokens, answer: asking.answer, failure: null };
  const { status, code, answer } = asking;
  const said = { status, code, answer, retryAfterMs: null };
  return { tokens: null, failure: toFailure(said, record.errors) };
};

/** A second request, for providers whose first token is only good for getting the one to keep. */
const upgradeTokens = async (
  dependencies: AskDependencies,
  asked: Asked,
  client: Client,
  first: Granted,
  values: Values,
): Promise<Granted> => {
  const { token } = asked.record;
  if (first.failure || !token.upgrade) return first;
  const { response, ...fields } = token.upgrade;
  const plan = { auth: token.auth ?? 'post', ...fields, protocol: {}, namesClient: false } as const;
  const second = await askForTokens(dependencies, asked, plan, response, client, {
    ...values,
    ...first.tokens.kept,
    access_token: first.tokens.accessToken.reveal(),
  });
  if (second.failure) return second;
  const { refreshToken, scopes, kept } = first.tokens;
  return {
    failure: null,
    answer: first.answer,
    tokens: {
      ...second.tokens,
      refreshToken: second.tokens.refreshToken ?? refreshToken,
      scopes: second.tokens.scopes ?? scopes,
      kept: { ...kept, ...second.tokens.kept },
    },
  };
};

export const exchangeCode = async (
  dependencies: AskDependencies,
  asked: Asked,
  client: Client,
  { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
  values: Values,
): Promise<Granted> => {
  const { token, pkce } = asked.record;
  const { response, upgrade: _, ...fields } = token;
  const protocol = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    ...(pkce === 'off' ? {} : { code_verifier: verifier }),
  };
  const known = { ...values, redirect_uri: redirectUri };
  const first = await askForTokens(
    dependencies,
    asked,
    { ...fields, protocol, namesClient: true },
    response,
    client,
    known,
  );
  return upgradeTokens(dependencies, asked, client, first, known);
};

export const refreshTokens = async (
  dependencies: AskDependencies,
  asked: Asked,
  client: Client,
  { accessToken, refreshToken, redirectUri }: { accessToken: Secret; refreshToken: Secret | null; redirectUri: string },
  values: Values,
): Promise<Granted> => {
  const { token, refresh } = asked.record;
  if (!refresh) throw new TypeError('This provider has no refresh.');
  const { url, method, auth, basicEncoding, body, headers, rename } = token;
  const inherited = { url, method, auth, basicEncoding, body, headers, rename };
  const own = Object.fromEntries(
    Object.entries(refresh).filter(([name]) => name in inherited || name === 'params' || name === 'omit'),
  );
  const protocol: Values =
    refresh.with === 'access_token' ? {} : { grant_type: 'refresh_token', refresh_token: refreshToken?.reveal() ?? '' };
  const plan = { ...inherited, ...own, protocol, namesClient: true } as RequestPlan;
  return askForTokens(dependencies, asked, plan, refresh.response ?? token.response, client, {
    ...values,
    redirect_uri: redirectUri,
    access_token: accessToken.reveal(),
    refresh_token: refreshToken?.reveal() ?? '',
  });
};

/** Safe to store and show: no control characters, none that change the direction of text, not too long. */
const toLabel = (text: string | null): string | null => {
  const clean = [...(text ?? '').toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Co}]/gu, '')].slice(0, MOST_LABEL_CHARACTERS);
  return clean.length > 0 ? clean.join('') : null;
};

/** A place in the response, or something already known, such as `{realmId}`. */
const readAccountId = (answer: unknown, id: string, values: Values): string | null => {
  const names = placeholdersIn(id);
  if (names.length === 0) return pickText(answer, [id]);
  return names.every((name) => Object.hasOwn(values, name)) ? expandText(id, values) : null;
};

/**
 * Whose account it is. If the provider doesn't say, it stays unknown, because a name isn't worth losing a connection
 * for.
 */
export const fetchAccount = async (
  dependencies: AskDependencies,
  asked: Asked,
  client: Client,
  { accessToken, answer }: { accessToken: Secret; answer: unknown },
  values: Values,
): Promise<Account> => {
  const { identity } = asked.record;
  if (!identity) return { id: null, label: null };
  const { url, id, label, headers, ...fields } = identity;
  const plan: RequestPlan = {
    method: 'GET',
    auth: 'none',
    body: 'none',
    ...fields,
    url: url ?? '',
    headers: { authorization: 'Bearer {access_token}', ...headers },
    protocol: {},
    namesClient: false,
    timeoutMs: IDENTITY_MS,
  };
  const known = { ...values, access_token: accessToken.reveal() };
  const asking = url ? await askProvider(dependencies, asked, plan, client, known) : { answer, failure: null };
  // An error may be a well-formed response too, but it's nobody's account.
  const from = asking.failure ? null : asking.answer;
  const accountId = toLabel(readAccountId(from, id, values));
  return { id: accountId, label: toLabel(pickText(from, [label])) ?? accountId };
};

export type RevokeOutcome =
  | { outcome: 'revoked' | 'already_gone'; failure: null }
  | { outcome: null; failure: ProviderFailure };

const ALREADY_GONE = { outcome: 'already_gone', failure: null } as const satisfies RevokeOutcome;

/** Which of a connection's tokens the provider wants for a revocation. */
export const tokenKindToRevoke = ({ record }: Asked, hasRefreshToken: boolean): 'access' | 'refresh' =>
  record.revoke?.token !== 'access' && hasRefreshToken ? 'refresh' : 'access';

/**
 * If the client authenticates, a 401 is about the client. If there is only the token, it's about the token. No other
 * status is assumed to mean that it's gone: by RFC 7009, revoking a dead token succeeds.
 */
const goneBy = (auth: RequestPlan['auth']): number[] => (auth === 'none' ? [401] : []);

/** A refusal with status 200. */
const refusalWithin = (
  { record }: Asked,
  { status, answer, code }: { status: number; answer: unknown; code: string | null },
): ProviderFailure | null => {
  const { errors } = record;
  const okField = errors?.okField;
  const saysNo = okField === undefined ? pickText(answer, ['error']) !== null : pick(answer, okField) === false;
  return saysNo ? toFailure({ status, code: code ?? 'unnamed', answer, retryAfterMs: null }, errors) : null;
};

export const revokeToken = async (
  dependencies: AskDependencies,
  asked: Asked,
  client: Client,
  { kind, token }: { kind: 'access' | 'refresh'; token: Secret },
  values: Values,
): Promise<RevokeOutcome> => {
  const { record } = asked;
  if (!record.revoke) throw new TypeError('This provider has no revocation.');
  const {
    ok = [200, 204],
    gone = goneBy(record.revoke.auth),
    param = 'token',
    token: _,
    kills: __,
    ...fields
  } = record.revoke;
  const text = token.reveal();
  const asking = await askProvider(
    dependencies,
    asked,
    { ...fields, protocol: param === '' ? {} : { [param]: text }, namesClient: false },
    client,
    { ...values, token: text, [`${kind}_token`]: text },
  );
  const failure = asking.failure ?? refusalWithin(asked, asking);
  if (failure?.kind === 'invalid_grant') return ALREADY_GONE;
  const status = asking.status ?? 0;
  const said = { status, code: errorCodeOf(asking.answer, record), answer: asking.answer };
  // A bare status says less than a rejected client does.
  const telling = failure?.kind === 'invalid_client' ? gone.filter((sign) => typeof sign !== 'number') : gone;
  if (matchesAny(telling, said)) return ALREADY_GONE;
  if (failure) return { outcome: null, failure };
  if (ok.includes(status)) return { outcome: 'revoked', failure: null };
  return { outcome: null, failure: toFailure({ ...said, code: null, retryAfterMs: null }) };
};
