import { oncePer, Secret } from '../../platform/index.ts';
import type { Client } from '../catalogue/client.ts';
import { domainsOf } from '../catalogue/known-hosts.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { ClientCredentialsProvider, ResolvedProvider } from '../catalogue/provider.ts';
import type { ProviderFailure } from '../catalogue/provider-failure.ts';
import type { AskContext, Target } from './ask-provider.ts';
import { askForTokens, type Granted } from './grant-requests.ts';

/**
 * The same credentials work for any number of token requests. Tokens are renewed at least once a day, so that revoked
 * credentials are noticed even if tokens live long.
 */
const RENEWAL = { rotates: 'never', idleDays: 1 } as const;

/** The provider in the form that token requests need. */
export const toTokenProvider = oncePer(({ record, custom }: ClientCredentialsProvider): ResolvedProvider => {
  const { id, name, params, defaults, token, errors } = record;
  return {
    record: {
      ...{ id, name, token, scopes: [], domains: domainsOf(record), authorize: { url: token.url }, refresh: RENEWAL },
      ...(params && { params }),
      ...(defaults && { defaults }),
      ...(errors && { errors }),
    },
    custom,
    grant: 'client_credentials',
  };
});

/** Makes a client from the ID and secret that a person has entered. */
export const toEnteredClient = (fields: Values): Client => ({
  ...{ id: fields['client_id'] ?? '', secret: new Secret(fields['client_secret'] ?? '') },
  ...{ of: 'team', params: {}, scopes: null },
});

const REJECTED = new Set([401, 403]);

/**
 * Treats a refusal as a refusal of the entered key. There is no grant that could have ended, and nobody else uses the
 * client.
 */
const blameKey = (failure: ProviderFailure): ProviderFailure => {
  const isRejected =
    failure.kind === 'invalid_client' || failure.kind === 'invalid_grant' || REJECTED.has(failure.httpStatus ?? 0);
  return isRejected ? { ...failure, kind: 'key_refused' } : failure;
};

/**
 * Requests an access token with client credentials. A refresh token in the response isn't kept, because it isn't
 * needed.
 */
export const requestClientToken = async (context: AskContext, target: Target, timeoutMs?: number): Promise<Granted> => {
  const { response: fields, ...request } = target.provider.record.token;
  const plan = {
    ...request,
    protocol: { grant_type: 'client_credentials' },
    namesClient: true,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const granted = await askForTokens(context, target, plan, fields);
  if (granted.failure) return { tokens: null, failure: blameKey(granted.failure) };
  return { ...granted, tokens: { ...granted.tokens, refreshToken: null, refreshExpiresAt: null } };
};
