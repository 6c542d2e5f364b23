import { Type } from '../../platform/index.ts';

/** The building blocks of an entry's fields. `strict` refuses unknown fields. */

export const strict = { additionalProperties: false };
export const Text = Type.String({ minLength: 1 });
export const Address = Type.String({
  pattern: '^(https?://|\\{)',
  maxLength: 500,
  description: 'a URL, which begins with https:// or with a placeholder',
});
export const Texts = Type.Record(Type.String(), Type.String());
export const Name = Type.String({ pattern: '^[a-z][a-zA-Z0-9_]*$' });
/**
 * The path of a value in a response: `data.id`, `[0].id`, `accounts[is_default].id` (the first account whose
 * `is_default` is true).
 */
export const Path = Type.String({ minLength: 1, maxLength: 200 });

/** How one request to a provider is made. */
export const requestFields = {
  method: Type.Optional(Type.Enum(['GET', 'POST', 'PUT', 'DELETE'])),
  /**
   * How the client authenticates. `post`: ID and secret are among the params. `private_key_jwt`: with an assertion that
   * the client signs (RFC 7523). `none`: not at all, though the request may contain the client's ID. A client with a
   * private key always signs an assertion, except with `none`.
   */
  auth: Type.Optional(Type.Enum(['basic', 'post', 'private_key_jwt', 'none'])),
  /** RFC 6749 wants the ID and the secret form-encoded before base64. Some providers want them unencoded (`raw`). */
  basicEncoding: Type.Optional(Type.Enum(['form', 'raw'])),
  body: Type.Optional(Type.Enum(['form', 'json', 'query', 'none'])),
  params: Type.Optional(Texts),
  headers: Type.Optional(Texts),
  /** Maps the protocol's name of a param to the provider's name. */
  rename: Type.Optional(Texts),
  /** Params of the protocol that aren't sent to this provider. */
  omit: Type.Optional(Type.Array(Text)),
};

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'a date like 2026-11-15' });

const Param = Type.Object(
  {
    about: Text,
    /** A regular expression. We anchor it, so it has to match the whole value. */
    pattern: Text,
    example: Type.String(),
    /** The value is a host, optionally with a port and a path. A URL contains it as `https://{+name}/oauth`. */
    base: Type.Optional(Type.Literal(true)),
    /** A param with a default is optional. */
    default: Type.Optional(Type.String()),
  },
  strict,
);

/** A field that a person fills in. */
export const Field = Type.Object(
  {
    label: Text,
    /** A sentence that says where to find the value. */
    about: Text,
    /** Whether the value must never be shown. Default: true. */
    secret: Type.Optional(Type.Boolean()),
    /** A regular expression, if the provider documents one. We anchor it, so it has to match the whole value. */
    pattern: Type.Optional(Text),
    /** The maximum number of characters, if the provider documents one. */
    maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000 })),
  },
  strict,
);

/** Fields that every entry can have, whatever its kind. */
export const common = {
  id: Type.String({
    pattern: '^[a-z][a-z0-9-]{0,39}$',
    description: '1 to 40 lowercase letters, digits, and -, starting with a letter',
  }),
  name: Type.String({ minLength: 1, maxLength: 80 }),
  category: Type.Optional(Text),
  /** Other words that people search for: former names, products, abbreviations. */
  aliases: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z0-9][a-z0-9 .+-]*$', maxLength: 40, description: 'lowercase words' }), {
      maxItems: 20,
    }),
  ),
  /** The logo's slug in simple-icons. Built-in entries only. Without it, the provider's initials are shown. */
  logo: Type.Optional(Type.String({ pattern: '^[a-z0-9]+$', description: 'lowercase letters and digits' })),
  /**
   * Whether the provider is shown near the top of the list. Default: true for an operator's own entries, otherwise
   * false.
   */
  popular: Type.Optional(Type.Boolean()),
  /** Where an OAuth app is registered: the provider's developer console, or the page of its docs that leads there. */
  developerUrl: Type.Optional(
    Type.String({ pattern: '^https://', maxLength: 500, description: 'a URL, which begins with https://' }),
  ),
  params: Type.Optional(Type.Record(Name, Param, strict)),
  defaults: Type.Optional(Texts),
  /** Domains whose hosts may get credentials. Default: the hosts of the URLs without placeholders. */
  domains: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z0-9.-]+$', description: 'a host name like example.com' })),
  ),
  /** Where a person removes access at the provider: the way through its pages, or a URL. */
  removal: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
  sunsets: Type.Optional(Type.Array(Type.Object({ date: Day, what: Text, source: Text }, strict))),
  /** Set if the provider has shut the service down, so that it can no longer be connected. */
  retired: Type.Optional(Type.Object({ since: Day, reason: Text }, strict)),
};

/** An error code as text, even if the provider sends a number. */
const Code = Type.String({ minLength: 1, description: 'an error code as text, even if the provider sends a number' });

/**
 * Recognizes an error whose code alone has several meanings. Every field that is set has to match. `says` maps a path
 * in the response to words that the text there contains, in upper or lower case. If there is a number, it has to be
 * equal.
 */
export const Sign = Type.Object(
  {
    status: Type.Optional(Type.Integer()),
    code: Type.Optional(Code),
    says: Type.Optional(Type.Record(Path, Text)),
  },
  // A status alone isn't specific enough to end a grant.
  { ...strict, anyOf: [{ required: ['code'] }, { required: ['says'] }] },
);

/** Where to find the values in a token response. Of a list of paths, the first one with a value is used. */
export const Response = Type.Object(
  {
    /** Paths of the objects that contain the values. An empty path means the response itself. */
    roots: Type.Optional(Type.Array(Type.String())),
    accessToken: Type.Optional(Type.Array(Path)),
    refreshToken: Type.Optional(Type.Array(Path)),
    scope: Type.Optional(Type.Array(Path)),
    expiresIn: Type.Optional(Type.Array(Path)),
    /** A time: seconds, milliseconds or ISO 8601. */
    expiresAt: Type.Optional(Type.Array(Path)),
    refreshExpiresIn: Type.Optional(Type.Array(Path)),
    expiresUnit: Type.Optional(Type.Enum(['seconds', 'milliseconds'])),
    /** The access token is a JWT, and only its `exp` says when it expires. */
    expiryFromJwt: Type.Optional(Type.Boolean()),
    /** The token's lifetime in seconds, if it expires but the provider doesn't say when. */
    defaultExpiresIn: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Other values to keep from the response: our name → path. */
    keep: Type.Optional(Type.Record(Name, Path, strict)),
  },
  strict,
);

/**
 * How the provider reports errors. `okField` names a field that is false if the response is an error, even with
 * status 200. `code` lists paths of the error code.
 */
export const Errors = Type.Object(
  {
    okField: Type.Optional(Text),
    code: Type.Optional(Type.Array(Path)),
    /**
     * Errors that end a grant, besides `invalid_grant`. Each is a code, or a sign if the code also has other meanings.
     */
    invalidGrant: Type.Optional(Type.Array(Type.Union([Code, Sign]))),
    /** Errors that reject the client, besides the usual codes. The grant may be fine, so reconnecting doesn't help. */
    invalidClient: Type.Optional(Type.Array(Type.Union([Code, Sign]))),
  },
  strict,
);
