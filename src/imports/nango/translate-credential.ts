import type { ForeignConnection } from '../../integrations/index.ts';
import { Secret } from '../../platform/index.ts';
import { type Reason, reason } from '../reason.ts';
import type { NangoProvider } from './nango-providers.ts';
import type { FullConnection, NangoIntegration } from './nango-schemas.ts';

type Credentials = NonNullable<FullConnection['credentials']>;
type Translated = ForeignConnection['credential'] | Reason;

/** Nango's auth modes that Patchbay doesn't support (packages/types/lib/auth/api.ts in NangoHQ/nango). */
const WITHOUT_COUNTERPART: Record<string, string> = {
  APP: 'a GitHub App installation',
  AWS_SIGV4: 'AWS signatures',
  BILL: 'a Bill.com session',
  CUSTOM: 'an app installation together with OAuth',
  INSTALL_PLUGIN: 'a plug-in',
  JWT: 'signed tokens (JWT)',
  MCP_OAUTH2: 'OAuth for MCP servers',
  MCP_OAUTH2_GENERIC: 'OAuth for MCP servers',
  NONE: 'no credentials',
  OAUTH1: 'OAuth 1.0a',
  OAUTH2_CC: 'OAuth client credentials',
  SIGNATURE: 'signatures',
  TBA: 'token-based authentication (NetSuite)',
  TWO_STEP: 'a two-step token exchange',
};

const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const toInstant = (value: unknown): number | null => {
  const instant = Date.parse(textIn(value) ?? '');
  return Number.isNaN(instant) ? null : instant;
};

const splitScopes = (text: string | null | undefined): string[] | null =>
  text ? text.split(/[\s,]+/).filter((scope) => scope !== '') : null;

const translateGrant = (credentials: Credentials, integration: NangoIntegration | null): Translated => {
  const accessToken = textIn(credentials['access_token']);
  if (accessToken === null) return reason('no_credentials', 'Nango has no access token for it.');
  const override = credentials['config_override'] as { client_id?: unknown } | undefined;
  const clientId = textIn(override?.client_id) ?? integration?.credentials?.client_id;
  if (clientId === undefined || clientId === null)
    return reason(
      'client_unknown',
      'The API key may not read which OAuth app it was connected with. Give it environment:integrations:read_credentials.',
    );
  if (clientId === '')
    return reason(
      'nango_app',
      "It was connected with Nango's own OAuth app, and only Nango can refresh it. It has to be connected again here.",
    );
  const refreshToken = textIn(credentials['refresh_token']);
  return {
    kind: 'oauth2',
    clientId,
    accessToken: new Secret(accessToken),
    refreshToken: refreshToken === null ? null : new Secret(refreshToken),
    expiresAt: toInstant(credentials['expires_at']),
    scopes: splitScopes(integration?.credentials?.scopes),
    response: credentials['raw'] ?? null,
  };
};

const translateKey = (credentials: Credentials, fields: Record<string, string>): Translated => {
  const found = Object.entries(fields).flatMap(([ours, theirs]) => {
    const value = textIn(credentials[theirs]);
    return value === null ? [] : [[ours, value]];
  });
  return found.length > 0
    ? { kind: 'key', fields: Object.fromEntries(found) }
    : reason('no_credentials', 'Nango has no key for it.');
};

/** Translates Nango's credentials to ours, or returns the reason why they can't be imported. */
export const translateCredential = (
  credentials: Credentials,
  integration: NangoIntegration | null,
  { fields }: Pick<NangoProvider, 'fields'>,
): Translated => {
  const type = textIn(credentials['type']);
  if (type === null) return reason('no_credentials', 'Nango returned no credentials for it.');
  if (type === 'OAUTH2') return translateGrant(credentials, integration);
  if (type === 'API_KEY') return translateKey(credentials, fields ?? { api_key: 'apiKey' });
  if (type === 'BASIC') return translateKey(credentials, fields ?? { username: 'username', password: 'password' });
  const what = WITHOUT_COUNTERPART[type] ?? 'an authentication mode that this version does not know';
  return reason('auth_mode', `It uses ${what}, which Patchbay doesn't have.`);
};
