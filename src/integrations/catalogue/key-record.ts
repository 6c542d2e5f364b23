import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import { common, Path, strict, Text } from './entry-fields.ts';
import { Api } from './provider-api.ts';

/** What a person enters. */
const Field = Type.Object(
  {
    label: Text,
    /** Where to find it, in a sentence. */
    about: Text,
    /** Whether it must never be shown. Default: it is. */
    secret: Type.Optional(Type.Boolean()),
    /** If the provider documents one. We anchor it, so it matches the whole value. */
    pattern: Type.Optional(Text),
    /** How many characters it can have at most, if the provider says. */
    maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000 })),
  },
  strict,
);

/**
 * A provider that is connected with a key instead of OAuth. `{api_key}`, `{username}` and `{password}` stand for its
 * fields in `api.credential`, and those that aren't secret in the rest of `api`, too. A format that begins with `Basic `
 * is encoded in base64 behind that word.
 */
export const KeyRecord = Type.Object(
  {
    ...common,
    kind: Type.Enum(['api_key', 'basic']),
    /** The provider's own page about its keys, for people. */
    docs: Type.String({ pattern: '^https?://', maxLength: 500, description: 'a URL, which begins with https://' }),
    fields: Type.Object(
      {
        api_key: Type.Optional(Field),
        username: Type.Optional(Field),
        password: Type.Optional(Field),
      },
      strict,
    ),
    /** Where the response to `api.verify` says whose account it is. */
    identity: Type.Optional(Type.Union([Type.Object({ id: Path, label: Path }, strict), Type.Null()])),
    api: Api,
  },
  strict,
);

export type KeyRecord = Static<typeof KeyRecord>;
export type KeyField = Static<typeof Field>;

type FieldName = keyof KeyRecord['fields'];

/** Which fields a kind has. A username alone can be enough. */
const FIELDS: Record<KeyRecord['kind'], { needed: FieldName; optional: readonly FieldName[] }> = {
  api_key: { needed: 'api_key', optional: [] },
  basic: { needed: 'username', optional: ['password'] },
};

/** The entry's fields, in the order of the form. */
export const listKeyFields = ({ kind, fields }: Pick<KeyRecord, 'kind' | 'fields'>): [FieldName, KeyField][] =>
  [FIELDS[kind].needed, ...FIELDS[kind].optional].flatMap((name) => {
    const field = fields[name];
    return field ? [[name, field] as [FieldName, KeyField]] : [];
  });

/** Fields that this kind doesn't have, or doesn't work without. */
export const findFieldFlaws = ({ kind, fields }: KeyRecord): string[] => {
  const { needed, optional } = FIELDS[kind];
  const given = Object.keys(fields);
  return [
    ...(given.includes(needed) ? [] : [`/fields/${needed} is required when /kind is ${kind}`]),
    ...given
      .filter((name) => name !== needed && !optional.some((one) => one === name))
      .map((name) => `/fields/${name} must not be set when /kind is ${kind}`),
  ];
};

/** Default: the key as a bearer token, or the two as in RFC 7617. */
export const credentialOf = ({ kind, api }: KeyRecord): NonNullable<KeyRecord['api']['credential']> =>
  api.credential ?? {
    header: 'authorization',
    format: kind === 'basic' ? 'Basic {username}:{password}' : 'Bearer {api_key}',
  };
