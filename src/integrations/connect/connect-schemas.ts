import { Type } from '../../platform/index.ts';
import { Account, Params, Scopes } from '../catalogue/schemas.ts';
import { ConnectionName } from '../connections/connection-name.ts';

const REPLACE =
  '`false`: if another account is connected under this name, or one that may be another because the provider names none, it stays, and the outcome is `integrations.name_taken`';
/** What a program that begins a connect may say. */
export const ConnectBody = Type.Object(
  {
    scopes: Type.Optional(Scopes),
    returnTo: Type.Optional(Type.String({ maxLength: 2_000 })),
    params: Type.Optional(Params),
    connection: Type.Optional(ConnectionName),
    replace: Type.Optional(Type.Boolean({ description: REPLACE })),
  },
  { additionalProperties: false },
);

/** The same in the query of a link, with the ticket of a link. */
export const ConnectQuery = Type.Object(
  {
    scopes: Type.Optional(Type.String({ maxLength: 8_000, description: 'Space-separated' })),
    returnTo: Type.Optional(Type.String({ maxLength: 2_000 })),
    connection: Type.Optional(ConnectionName),
    replace: Type.Optional(Type.Enum(['true', 'false'], { description: REPLACE })),
    ticket: Type.Optional(Type.String({ maxLength: 8_000 })),
    team: Type.Optional(
      Type.String({ maxLength: 60, description: 'If the session is in another team, a page asks first' }),
    ),
  },
  {
    patternProperties: { '^params\\.[a-z][a-zA-Z0-9_]{0,39}$': { type: 'string', maxLength: 300 } },
    additionalProperties: false,
  },
);

export const BegunConnect = Type.Object(
  {
    provider: Type.String(),
    connection: Type.String(),
    authorizationUrl: Type.Union([Type.String(), Type.Null()], {
      description:
        'Null for a provider that is connected with a key: `connectUrl` leads to a form. Null for a restricted token, too: a person has to follow `connectUrl`',
    }),
    connectUrl: Type.String(),
    expiresAt: Type.String({ format: 'date-time' }),
    replaces: Type.Union([Account, Type.Null()], { description: 'The account that is connected under this name now' }),
  },
  { title: 'BegunConnect' },
);
