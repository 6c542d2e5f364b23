import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeCanary } from './canaries.ts';

/** A connection as Nango keeps it. `refreshed`: what it gets when it refreshes an expired token; null if that fails. */
export type NangoConnection = {
  connectionId: string;
  integration: string;
  credentials: Record<string, unknown>;
  connectionConfig?: Record<string, unknown>;
  tags?: Record<string, string>;
  endUser?: Record<string, unknown> | null;
  created?: string;
  refreshed?: Record<string, unknown> | null;
};

/** `clientId`: empty if it's an OAuth app of Nango's own. */
export type NangoIntegration = { provider: string; clientId?: string; scopes?: string };

const LIST_QUERY = ['connectionId', 'search', 'endUserId', 'integrationId', 'endUserOrganizationId', 'limit', 'page'];
const GET_QUERY = ['provider_config_key', 'refresh_token', 'force_refresh', 'refresh_github_app_jwt_token'];

type Answer = { status: number; body: unknown; headers?: Record<string, string> };

const say = (body: unknown): Answer => ({ status: 200, body });
const refuse = (status: number, code: string, message = 'As documented.'): Answer => ({
  status,
  body: { error: { code, message } },
});

/**
 * A stand-in for the part of Nango's API that reads connections, after its documentation and docs/spec.yaml of August 2026:
 * bearer keys with scopes, strict queries, pages with the newest first, refresh tokens only on request, a refresh of
 * what has expired when it's read, and rate limits.
 */
export const startNangoServer = async () => {
  const key = makeCanary();
  const integrations = new Map<string, NangoIntegration>();
  const connections: (NangoConnection & { id: number })[] = [];
  const requests: string[] = [];
  const rules = {
    /** Whether the key has the `…read_credentials` scopes. */
    readsCredentials: true,
    /** How many of the next requests are too many, and how long to wait. */
    tooMany: 0,
    retryAfterSeconds: 1,
    /** Instead of every response. */
    broken: null as null | ((response: ServerResponse) => void),
  };

  const providerOf = ({ integration }: NangoConnection): string => integrations.get(integration)?.provider ?? '';

  const describe = (connection: NangoConnection & { id: number }) => ({
    id: connection.id,
    connection_id: connection.connectionId,
    provider: providerOf(connection),
    provider_config_key: connection.integration,
    errors: [],
    end_user: connection.endUser ?? null,
    tags: connection.tags ?? {},
    metadata: null,
  });

  const list = (query: URLSearchParams): Answer => {
    const limit = Number(query.get('limit') ?? 10_000);
    const page = Number(query.get('page') ?? 0);
    if ([...query.keys()].some((name) => !LIST_QUERY.includes(name)) || limit > 2_000)
      return refuse(400, 'invalid_query_params');
    const newest = connections.toSorted((one, other) => other.id - one.id);
    const listed = newest.slice(page * limit, (page + 1) * limit);
    return say({
      connections: listed.map((one) => ({ ...describe(one), created: one.created ?? '2026-01-01T00:00:00.000Z' })),
    });
  };

  const get = (connectionId: string, query: URLSearchParams): Answer => {
    const integration = query.get('provider_config_key');
    if (integration === null || [...query.keys()].some((name) => !GET_QUERY.includes(name)))
      return refuse(400, 'invalid_query_params');
    if (!integrations.has(integration)) return refuse(400, 'unknown_provider_config');
    const found = connections.find((one) => one.connectionId === connectionId && one.integration === integration);
    if (!found) return refuse(404, 'not_found');
    const wantsRefreshToken = query.get('refresh_token') === 'true';
    if (!rules.readsCredentials && wantsRefreshToken) return refuse(403, 'forbidden');
    const expires = Date.parse(String(found.credentials['expires_at'] ?? ''));
    if (expires <= Date.now() && found.refreshed !== undefined) {
      if (found.refreshed === null) return refuse(424, 'invalid_credentials', 'The refresh token is dead.');
      found.credentials = found.refreshed;
    }
    const { refresh_token, ...others } = found.credentials;
    const credentials = wantsRefreshToken ? found.credentials : others;
    return say({
      ...describe(found),
      connection_config: found.connectionConfig ?? {},
      webhook_url_override: null,
      created_at: found.created ?? '2026-01-01T00:00:00.000+00:00',
      updated_at: '2026-11-01T00:00:00.000+00:00',
      last_fetched_at: null,
      credentials: rules.readsCredentials ? credentials : {},
    });
  };

  const getIntegration = (uniqueKey: string, query: URLSearchParams): Answer => {
    const found = integrations.get(uniqueKey);
    if (!found) return refuse(404, 'not_found');
    const { provider, clientId, scopes = null } = found;
    const credentials =
      clientId === undefined
        ? null
        : { type: 'OAUTH2', client_id: clientId, client_secret: makeCanary(), scopes, webhook_secret: null };
    const included = query.get('include') === 'credentials' && rules.readsCredentials ? { credentials } : {};
    const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
    return say({
      data: { unique_key: uniqueKey, provider, display_name: provider, logo: '', ...included, ...times },
    });
  };

  const answer = ({ method, url = '/', headers }: IncomingMessage): Answer => {
    const { pathname, searchParams } = new URL(url, 'http://nango.example');
    if (rules.tooMany > 0) {
      rules.tooMany--;
      const body = { error: { code: 'too_many_request', method, path: pathname } };
      return { status: 429, body, headers: { 'retry-after': String(rules.retryAfterSeconds) } };
    }
    if (headers.authorization !== `Bearer ${key}`) return refuse(401, 'unknown_user_account');
    const [, room = '', name = ''] = pathname.split('/').map(decodeURIComponent);
    if (room === 'connections') return name === '' ? list(searchParams) : get(name, searchParams);
    return room === 'integrations' ? getIntegration(name, searchParams) : refuse(404, 'not_found');
  };

  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (rules.broken) return rules.broken(response);
    const { status, body, headers = {} } = answer(request);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    host: `http://127.0.0.1:${port}`,
    key,
    rules,
    requests,
    integrations,
    connections,
    add: (connection: NangoConnection): void => void connections.push({ id: connections.length + 1, ...connection }),
    /** Forgets everything, for the next test. */
    reset(): void {
      integrations.clear();
      for (const list of [connections, requests]) list.length = 0;
      Object.assign(rules, { readsCredentials: true, tooMany: 0, retryAfterSeconds: 1, broken: null });
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export type NangoServer = Awaited<ReturnType<typeof startNangoServer>>;
