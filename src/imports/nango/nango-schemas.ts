import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';

/*
 * The parts of Nango's API responses that we read (https://nango.dev/docs/reference/backend/http-api, docs/spec.yaml in
 * NangoHQ/nango, as of 2026-08-21). The rest is ignored.
 */

const Text = Type.String({ maxLength: 10_000 });
const Optional = Type.Optional(Type.Union([Text, Type.Null()]));

const EndUser = Type.Object({
  id: Text,
  email: Optional,
  display_name: Optional,
  organization: Type.Optional(Type.Union([Type.Object({ id: Text, display_name: Optional }), Type.Null()])),
});

/**
 * A connection in the response to `GET /connections`. `end_user` is deprecated, but older connections have only that.
 */
export const NangoConnection = Type.Object({
  id: Type.Integer(),
  connection_id: Text,
  provider: Text,
  provider_config_key: Text,
  created: Text,
  tags: Type.Optional(Type.Union([Type.Record(Type.String(), Text), Type.Null()])),
  end_user: Type.Optional(Type.Union([EndUser, Type.Null()])),
});

/** The response to `GET /connections/{connectionId}`. What the credentials contain depends on their type. */
export const FullConnection = Type.Object({
  connection_config: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  credentials: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/**
 * The response to `GET /integrations/{uniqueKey}?include=credentials`. `credentials` is null or absent if the API key
 * may not read them.
 */
export const NangoIntegration = Type.Object({
  data: Type.Object({
    unique_key: Text,
    credentials: Type.Optional(Type.Union([Type.Object({ client_id: Optional, scopes: Optional }), Type.Null()])),
  }),
});

export const ConnectionPage = Type.Object({ connections: Type.Array(NangoConnection) });

export type NangoConnection = Static<typeof NangoConnection>;
export type FullConnection = Static<typeof FullConnection>;
export type NangoIntegration = Static<typeof NangoIntegration>['data'];
