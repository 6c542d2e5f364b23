import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import { Address, common, Errors, Field, Path, Response, requestFields, strict } from './entry-fields.ts';
import { CallLog, PeopleRules } from './people/people.ts';
import { Api, KeyApi } from './provider-api.ts';
import { Webhook } from './webhook/webhook.ts';

/** Fields of every entry whose credentials a person enters. */
const entered = {
  ...common,
  /** The provider's own page about its keys, for people. */
  docs: Type.String({ pattern: '^https?://', maxLength: 500, description: 'a URL, which begins with https://' }),
  /** Paths of the account in the response to `api.verify`. */
  identity: Type.Optional(Type.Union([Type.Object({ id: Path, label: Path }, strict), Type.Null()])),
  webhook: Type.Optional(Type.Union([Webhook, Type.Null()])),
  people: Type.Optional(Type.Union([PeopleRules, Type.Null()])),
  log: Type.Optional(Type.Union([CallLog, Type.Null()])),
};

/**
 * A provider that is connected with a key instead of OAuth. In `api.credential`, `{api_key}`, `{username}` and
 * `{password}` stand for its fields. A field that isn't secret can be used in the rest of `api`, too. A format that
 * begins with `Basic ` is encoded in base64 after that word. If the vendor also has an entry for OAuth, the ID here is
 * `<vendor>-key`.
 */
export const PlainKeyRecord = Type.Object(
  {
    ...entered,
    kind: Type.Enum(['api_key', 'basic']),
    fields: Type.Object(
      {
        api_key: Type.Optional(Field),
        username: Type.Optional(Field),
        password: Type.Optional(Field),
      },
      strict,
    ),
    api: KeyApi,
  },
  strict,
);

/**
 * A provider that issues access tokens for a client ID and secret, which a person enters (RFC 6749, section 4.4). We
 * request a token at `token` and call the API with it, by default as a bearer token. `token.params` holds what the
 * provider needs beyond the standard, such as an audience or another grant type.
 */
export const ClientCredentialsRecord = Type.Object(
  {
    ...entered,
    kind: Type.Literal('client_credentials'),
    fields: Type.Object({ client_id: Field, client_secret: Field }, strict),
    token: Type.Object({ url: Address, ...requestFields, response: Type.Optional(Response) }, strict),
    errors: Type.Optional(Errors),
    api: Api,
  },
  strict,
);

export type ClientCredentialsRecord = Static<typeof ClientCredentialsRecord>;
export type KeyRecord = Static<typeof PlainKeyRecord> | ClientCredentialsRecord;
export type KeyField = Static<typeof Field>;

type FieldName = 'api_key' | 'username' | 'password' | 'client_id' | 'client_secret';
type Fields = { kind: KeyRecord['kind']; fields: Partial<Record<FieldName, KeyField>> };

/** The fields of each kind. With `basic`, some providers need only a user name. */
const FIELDS: Record<KeyRecord['kind'], { needed: FieldName; optional: readonly FieldName[] }> = {
  api_key: { needed: 'api_key', optional: [] },
  basic: { needed: 'username', optional: ['password'] },
  client_credentials: { needed: 'client_id', optional: ['client_secret'] },
};

/** The entry's fields, in the order of the form. */
export const listKeyFields = ({ kind, fields }: Fields): [FieldName, KeyField][] =>
  [FIELDS[kind].needed, ...FIELDS[kind].optional].flatMap((name) => {
    const field = fields[name];
    return field ? [[name, field] as [FieldName, KeyField]] : [];
  });

/** Finds fields that this kind doesn't have, and a missing field that it needs. */
export const findFieldFlaws = ({ kind, fields }: Fields): string[] => {
  const { needed, optional } = FIELDS[kind];
  const given = Object.keys(fields);
  return [
    ...(given.includes(needed) ? [] : [`/fields/${needed} is required when /kind is ${kind}`]),
    ...given
      .filter((name) => name !== needed && !optional.some((one) => one === name))
      .map((name) => `/fields/${name} must not be set when /kind is ${kind}`),
  ];
};

const FORMATS: Record<KeyRecord['kind'], string> = {
  api_key: 'Bearer {api_key}',
  basic: 'Basic {username}:{password}',
  client_credentials: 'Bearer {access_token}',
};

/**
 * How the credential is sent. Default: the key or the access token as a bearer token, or the user name and password by
 * Basic authentication (RFC 7617).
 */
export const credentialOf = ({ kind, api }: KeyRecord): NonNullable<KeyRecord['api']['credential']> =>
  api.credential ?? { header: 'authorization', format: FORMATS[kind] };
