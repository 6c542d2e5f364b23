import { Refusal, Secret } from '../../platform/index.ts';
import type { AuditActor } from '../../teams/index.ts';
import { findProvider } from '../catalogue/find-provider.ts';
import type { Values } from '../catalogue/placeholders.ts';
import { completeParams } from '../catalogue/provider-params.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { settingsOf } from '../catalogue/settings-of.ts';
import { type PutDependencies, putConnection } from '../connections/put-connection.ts';
import { attemptUsed, exchangeFailed, interrupted, notConfigured } from '../errors.ts';
import type { Asked } from '../requests/ask-provider.ts';
import { scopesOf } from '../requests/authorization-url.ts';
import { checkSignature, readCode, readGrantedScopes, readKeptParams } from '../requests/callback-params.ts';
import {
  type Account,
  exchangeCode,
  fetchAccount,
  revokeToken,
  tokenKindToRevoke,
} from '../requests/grant-requests.ts';
import { keepTrying } from '../requests/keep-trying.ts';
import type { Client } from '../requests/provider-request.ts';
import type { Tokens } from '../requests/token-answer.ts';
import { type Attempt, endAttempt } from './attempt-store.ts';
import type { ConnectState } from './connect-state.ts';

export type FinishDependencies = PutDependencies;

/** The outcome, kept so that the same response can be given again. */
export type Outcome =
  | { outcome: 'connected'; account: Account }
  | { outcome: 'failed'; status: number; code: string; message: string };

/** `confirm`: nothing was exchanged yet, since nobody has proved to be the user who started. */
export type Finished = Outcome | { outcome: 'confirm'; attempt: string };

/** What a parked attempt contains, sealed: everything that the exchange will need. */
export type Parked = Pick<ConnectState, 'verifier' | 'scopes' | 'params' | 'returnTo'> & {
  callback: [string, string][];
};

/** Turns a refusal into an outcome that can be kept. */
export const failed = ({ status, code, message }: Refusal): Outcome => ({ outcome: 'failed', status, code, message });

/** Turns a kept outcome back into its refusal. */
export const toRefusal = ({ status, code, message }: Extract<Outcome, { outcome: 'failed' }>): Refusal =>
  new Refusal(status, code, message);

/** Within the time that a request has. */
const KEEP_TRYING_MS = 3_000;

const place = (stateDigest: string) => ({ record: `connect_attempts/${stateDigest}`, field: 'callback' });

const revokeNew = async (
  dependencies: FinishDependencies,
  asked: Asked,
  client: Client,
  { accessToken, refreshToken }: Tokens,
  details: Values,
): Promise<void> => {
  const kind = tokenKindToRevoke(asked, refreshToken !== null);
  const token = kind === 'refresh' && refreshToken ? refreshToken : accessToken;
  await revokeToken(dependencies, asked, client, { kind, token }, details);
};

const exchange = async (
  dependencies: FinishDependencies,
  { teamId, userId, provider: providerId }: Pick<Attempt, 'teamId' | 'userId' | 'provider'>,
  { verifier, scopes, params, callback }: Parked,
  actor: AuditActor,
): Promise<Outcome> => {
  const { catalogue, discover, clients, url } = dependencies;
  const asked: Asked = await discover(findProvider(catalogue, providerId));
  const { record } = asked;
  const found = await clients.find(teamId, providerId);
  const client = found && (await clients.open(teamId, providerId, found.of));
  if (!client) throw notConfigured(settingsOf(providerId));
  const received = new Map(callback);
  checkSignature(record, received, client.secret);
  const wished = completeParams(record, params ?? {});
  const kept = readKeptParams(record, received, wished);
  const given = { ...wished, ...kept };
  const redirectUri = redirectUriOf(url, providerId);
  const granted = await exchangeCode(
    dependencies,
    asked,
    client,
    { code: readCode(record, received), verifier, redirectUri },
    given,
  );
  if (granted.failure) throw exchangeFailed(granted.failure);
  const tokens = { ...granted.tokens, scopes: readGrantedScopes(record, received) ?? granted.tokens.scopes };
  // A token response must not change what the person gave and the callback confirmed.
  const details = { ...given, ...tokens.kept, ...params, ...kept };
  const { accessToken } = tokens;
  const account = await fetchAccount(dependencies, asked, client, { accessToken, answer: granted.answer }, details);
  const scopesAsked = scopesOf(record, scopes);
  const made = { teamId, userId, provider: providerId, client, account, tokens, details, scopesAsked };
  await keepTrying(KEEP_TRYING_MS, () => putConnection(dependencies, asked, made, actor)).catch(async (error) => {
    // Nobody could ever end a grant that isn't stored. If ending it would end others of the same account, it's left.
    if (record.revoke?.kills === 'token') await revokeNew(dependencies, asked, client, tokens, details);
    throw error;
  });
  return { outcome: 'connected', account };
};

/** Exchanges the code of an attempt that is now ours alone, and stores the outcome. */
export const exchangeOnce = async (
  dependencies: FinishDependencies,
  attempt: Pick<Attempt, 'teamId' | 'userId' | 'provider' | 'stateDigest'>,
  parked: Parked,
  actor: AuditActor,
): Promise<Outcome> => {
  // Whoever brings the response has proved to be the user who started, signed in here or not.
  const user: AuditActor = { ...actor, kind: 'user', userId: attempt.userId };
  const end = (outcome: Outcome): Promise<number> =>
    endAttempt(dependencies.database, attempt.teamId, attempt.stateDigest, JSON.stringify(outcome));
  const outcome = await exchange(dependencies, attempt, parked, user).catch(async (error) => {
    if (error instanceof Refusal) return failed(error);
    // A bug, or the database. Nobody should wait for an outcome that never comes.
    await end(failed(interrupted())).catch(() => undefined);
    throw error;
  });
  await end(outcome);
  return outcome;
};

export const sealParked = (
  { vault }: FinishDependencies,
  { teamId, stateDigest }: Pick<Attempt, 'teamId' | 'stateDigest'>,
  parked: Parked,
): Promise<string> => vault.seal(teamId, place(stateDigest), new Secret(JSON.stringify(parked)));

export const openParked = async ({ vault }: FinishDependencies, attempt: Attempt): Promise<Parked> => {
  if (attempt.callback === null) throw attemptUsed();
  return JSON.parse((await vault.open(attempt.teamId, place(attempt.stateDigest), attempt.callback)).reveal());
};
