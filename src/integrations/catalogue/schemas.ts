import type { Static } from 'typebox';
import type { Access } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';

export const Params = Type.Record(
  Type.String({ pattern: '^[a-z][a-zA-Z0-9_]{0,39}$' }),
  Type.String({ maxLength: 300 }),
  { maxProperties: 20 },
);
const Scope = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'Printable ASCII characters without spaces',
});
export const Scopes = Type.Array(Scope, { maxItems: 100 });
export const ByProvider = Type.Object({ provider: Type.String({ maxLength: 60 }) });

const Text = Type.Union([Type.String(), Type.Null()]);
export const Account = Type.Object({ id: Text, label: Text });
export type Account = Static<typeof Account>;

export const Site = Type.Object({ id: Type.String(), label: Type.String() });

export const Instant = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

/** A connection, or a provider without a connection, in the status. */
export const IntegrationStatus = Type.Object(
  {
    provider: Type.String(),
    connection: Type.String({ description: 'Its name, which is `default` unless another was given' }),
    name: Type.String({ description: "The provider's name" }),
    status: Type.Enum(['connected', 'degraded', 'needs_reconnect', 'disconnected']),
    reason: Text,
    account: Type.Union([Account, Type.Null()]),
    installation: Type.Union([Type.Object({ id: Type.String() }), Type.Null()], {
      description: "The company, workspace, or site of a person's account, if the provider says so",
    }),
    site: Type.Union([Site, Type.Null()], {
      description:
        'Which of the sites that the consent covers was chosen, for providers where one consent covers several',
    }),
    siteNeeded: Type.Boolean({
      description:
        'Whether a site has to be chosen (`PUT /api/integrations/{provider}/site`) before the proxy can send requests that need it',
    }),
    scopes: Type.Array(Type.String()),
    missingScopes: Type.Array(Type.String()),
    connectedAt: Instant,
    connectedBy: Type.Union([Type.Object({ id: Type.String(), key: Text, label: Type.String() }), Type.Null()]),
    expiresAt: Instant,
    reconnectBefore: Instant,
    lastRefreshedAt: Instant,
    lastUsedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When it was last used through the proxy, to within a few seconds',
    }),
    lastError: Text,
    troubleSince: Instant,
    nextTryAt: Instant,
    refreshFailures: Type.Integer({ description: 'Failed refreshes in a row' }),
  },
  { title: 'Integration' },
);

/** A connection as events describe it. */
export const ConnectionTold = Type.Object({
  ...IntegrationStatus.properties,
  previousAccount: Type.Optional(
    Type.Union([Account, Type.Null()], {
      description:
        'Only in `connection.reconnected`: the account that this one has replaced, or null if it is the same',
    }),
  ),
});

/** Describes an API route of the integrations. */
export const apiRoute = <Schema extends object>(access: Access, schema: Schema) => ({
  config: { access },
  schema: { tags: ['integrations'], ...schema },
});

/** The same as `apiRoute`, for a route that the browser of a customer's user can call. */
export const browserRoute = <Schema extends object>(access: Access, schema: Schema) => {
  const route = apiRoute(access, schema);
  return { ...route, config: { ...route.config, connectSession: true } };
};
