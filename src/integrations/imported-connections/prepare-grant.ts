import { findOauthProvider } from '../catalogue/catalogue.ts';
import type { Client } from '../catalogue/client.ts';
import { matchesWhole } from '../catalogue/find-entry-flaws.ts';
import { createPlaceCheck, hasOtherBase } from '../catalogue/known-hosts.ts';
import { ValueMissing, type Values } from '../catalogue/placeholders.ts';
import type { FullRecord, ResolvedProvider } from '../catalogue/provider.ts';
import { completeParams } from '../catalogue/provider-params.ts';
import { lackedSettingsOf, settingsOf } from '../catalogue/settings-of.ts';
import { issuingPlaceOf } from '../connections/authority.ts';
import type { IntegrationsContext } from '../context.ts';
import { notConfigured, ownCredentialsNeeded, paramsInvalid, providerRetired } from '../errors.ts';
import { scopesOf } from '../requests/authorization-url.ts';
import { readTokens, type Tokens } from '../requests/token-response.ts';
import { clientDiffers, grantEnds } from './errors.ts';
import type { ForeignGrant, ForeignWith } from './foreign-connection.ts';

type PreparedGrant = {
  resolved: ResolvedProvider;
  client: Client;
  tokens: Tokens;
  details: Record<string, string>;
  scopesAsked: string[];
};

const pickValues = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

/** Picks the values that our callback keeps, and checks them as the callback does. */
const pickKept = ({ callback }: FullRecord, values: Values): Values => {
  const keep = Object.entries(callback?.keep ?? {});
  const wrong = keep.filter(([name, { pattern, required }]) => {
    const value = values[name];
    return value === undefined ? required === true : !matchesWhole(pattern, value);
  });
  if (wrong.length > 0)
    throw paramsInvalid(wrong.map(([name]) => ({ path: name, message: 'is missing or has another form' })));
  return pickValues(
    values,
    keep.map(([name]) => name),
  );
};

/** The tokens that the other service holds. Of the token response, only scopes and kept values are used. */
const toTokens = (record: FullRecord, grant: ForeignGrant, now: number): Tokens => {
  const { accessToken, refreshToken, expiresAt, response } = grant;
  const read = readTokens(record, record.token.response, response, now);
  return {
    ...{ accessToken, refreshToken, expiresAt },
    // The response says how long the refresh token lasts, but not since when. The next refresh returns a new duration.
    refreshExpiresAt: null,
    scopes: read?.scopes ?? null,
    kept: read?.kept ?? {},
  };
};

const openClient = async (
  { clients }: IntegrationsContext,
  teamId: string | null,
  provider: string,
  clientId: string,
): Promise<Client> => {
  // If the team doesn't exist yet, it has no OAuth app of its own.
  const found = await clients.find(teamId ?? '', provider);
  if (!found) throw notConfigured(settingsOf(provider));
  if (found.id !== clientId) throw clientDiffers(settingsOf(provider)[0], clientId, found.of);
  const client = await clients.open(teamId ?? '', provider, found.of);
  if (!client) throw notConfigured(settingsOf(provider));
  return client;
};

/**
 * Prepares a grant. Throws if it can't be refreshed here, because it would stop working when its access token expires.
 * Sends no token to a provider.
 */
export const prepareGrant = async (
  context: IntegrationsContext,
  teamId: string | null,
  { provider, values, credential }: ForeignWith<ForeignGrant>,
): Promise<PreparedGrant> => {
  const entry = findOauthProvider(context.catalogue, provider);
  if (entry.record.retired) throw providerRetired(entry.record.retired.reason);
  const client = await openClient(context, teamId, provider, credential.clientId);
  const lacked = lackedSettingsOf(entry.record, client);
  if (lacked.length > 0) throw notConfigured(lacked);
  const resolved = await context.discover(entry);
  const { record } = resolved;
  const tokens = toTokens(record, credential, context.clock.now());
  const isRefreshable = record.refresh && (tokens.refreshToken !== null || record.refresh.with === 'access_token');
  if (tokens.expiresAt !== null && !isRefreshable) throw grantEnds(tokens.expiresAt);
  const given = pickValues(values, Object.keys(record.params ?? {}));
  const kept = { ...record.token.response?.keep, ...record.identity?.keep };
  const details = {
    ...completeParams(record, given),
    ...pickValues(values, Object.keys(kept)),
    ...tokens.kept,
    ...given,
    ...pickKept(record, values),
  };
  try {
    const mayReceive = createPlaceCheck(record, client.params);
    if (!mayReceive(issuingPlaceOf(resolved, details)) || hasOtherBase(record, client.params, details))
      throw ownCredentialsNeeded();
  } catch (error) {
    if (!(error instanceof ValueMissing)) throw error;
    throw paramsInvalid([{ path: error.placeholder, message: 'is missing' }]);
  }
  return { resolved, client, tokens, details, scopesAsked: scopesOf(record, credential.scopes ?? client.scopes) };
};
