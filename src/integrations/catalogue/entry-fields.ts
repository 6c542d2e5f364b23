import { Type } from '../../platform/index.ts';

/** What many fields of an entry are made of. */

export const strict = { additionalProperties: false };
export const Text = Type.String({ minLength: 1 });
export const Address = Type.String({
  pattern: '^(https?://|\\{)',
  maxLength: 500,
  description: 'a URL, which begins with https:// or with a placeholder',
});
export const Texts = Type.Record(Type.String(), Type.String());
export const Name = Type.String({ pattern: '^[a-z][a-zA-Z0-9_]*$' });
/** A place in a response: `data.id`, `[0].id`, `accounts[is_default].id` (the first whose field is true). */
export const Path = Type.String({ minLength: 1, maxLength: 200 });

/** How one request to a provider is made. */
export const requestFields = {
  method: Type.Optional(Type.Enum(['GET', 'POST', 'PUT', 'DELETE'])),
  /**
   * How the client authenticates. `post`: id and secret among the params. `private_key_jwt`: with an assertion that it
   * signs (RFC 7523). `none`: only the id, if it's asked for. A client with a private key signs unless this is `none`.
   */
  auth: Type.Optional(Type.Enum(['basic', 'post', 'private_key_jwt', 'none'])),
  /** RFC 6749 wants id and secret form-encoded before Basic. Some providers want them as they are. */
  basicEncoding: Type.Optional(Type.Enum(['form', 'raw'])),
  body: Type.Optional(Type.Enum(['form', 'json', 'query', 'none'])),
  params: Type.Optional(Texts),
  headers: Type.Optional(Texts),
  /** The protocol's name of a param → the provider's. */
  rename: Type.Optional(Texts),
  /** Protocol params that this provider must not get. */
  omit: Type.Optional(Type.Array(Text)),
};

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'a date like 2026-11-15' });

const Param = Type.Object(
  {
    about: Text,
    /** We anchor it, so it matches the whole value. */
    pattern: Text,
    example: Type.String(),
    /** Its value is a host with a port and a path, if need be, and stands for them in an address: `https://{+name}/oauth`. */
    base: Type.Optional(Type.Literal(true)),
    /** With a default, the param is optional. */
    default: Type.Optional(Type.String()),
  },
  strict,
);

/** What a person enters. */
export const Field = Type.Object(
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

/** What every entry can have, whatever its kind. */
export const common = {
  id: Type.String({
    pattern: '^[a-z][a-z0-9-]{0,39}$',
    description: '1 to 40 lowercase letters, digits, and -, starting with a letter',
  }),
  name: Type.String({ minLength: 1, maxLength: 80 }),
  category: Type.Optional(Text),
  /** What else people call it or its parts when they search: former names, products, abbreviations. */
  aliases: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z0-9][a-z0-9 .+-]*$', maxLength: 40, description: 'lowercase words' }), {
      maxItems: 20,
    }),
  ),
  /** Its logo in simple-icons, by its slug there. Built-in entries only; without one, its initials are shown. */
  logo: Type.Optional(Type.String({ pattern: '^[a-z0-9]+$', description: 'lowercase letters and digits' })),
  /** Among the first to be shown, where there isn't room for all. An operator's own entries are, unless they say otherwise. */
  popular: Type.Optional(Type.Boolean()),
  /** Where an OAuth app is registered: the provider's developer console, or the page of its docs that leads there. */
  developerUrl: Type.Optional(
    Type.String({ pattern: '^https://', maxLength: 500, description: 'a URL, which begins with https://' }),
  ),
  params: Type.Optional(Type.Record(Name, Param, strict)),
  defaults: Type.Optional(Texts),
  /** Credentials go only to hosts under these. Default: the hosts of the URLs without placeholders. */
  domains: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z0-9.-]+$', description: 'a host name like example.com' })),
  ),
  sunsets: Type.Optional(Type.Array(Type.Object({ date: Day, what: Text, source: Text }, strict))),
  /** The provider has shut it down, so it can no longer be connected. */
  retired: Type.Optional(Type.Object({ since: Day, reason: Text }, strict)),
};

/** A number in a response is compared as text, so `105` is "105" here. */
const Code = Type.String({ minLength: 1, description: 'an error code as text, even if the provider sends a number' });

/**
 * How to recognize a refusal when a code alone is too coarse. Everything named must be there. `says` has places in the
 * response and the words found there, in any case, or the whole number as text.
 */
export const Sign = Type.Object(
  {
    status: Type.Optional(Type.Integer()),
    code: Type.Optional(Code),
    says: Type.Optional(Type.Record(Path, Text)),
  },
  // A status alone says too little to end a grant.
  { ...strict, anyOf: [{ required: ['code'] }, { required: ['says'] }] },
);

/** Where to find things in a token response. Each is a list of paths, and the first with a value counts. */
export const Response = Type.Object(
  {
    /** Objects to look in, `` for the response itself. */
    roots: Type.Optional(Type.Array(Type.String())),
    accessToken: Type.Optional(Type.Array(Path)),
    refreshToken: Type.Optional(Type.Array(Path)),
    scope: Type.Optional(Type.Array(Path)),
    expiresIn: Type.Optional(Type.Array(Path)),
    /** An instant: seconds, milliseconds or ISO 8601. */
    expiresAt: Type.Optional(Type.Array(Path)),
    refreshExpiresIn: Type.Optional(Type.Array(Path)),
    expiresUnit: Type.Optional(Type.Enum(['seconds', 'milliseconds'])),
    /** The access token is a JWT, and only its `exp` says when it expires. */
    expiryFromJwt: Type.Optional(Type.Boolean()),
    /** Seconds, if the token expires but the provider doesn't say when. */
    defaultExpiresIn: Type.Optional(Type.Integer({ minimum: 1 })),
    /** What else is worth keeping: our name → its place. */
    keep: Type.Optional(Type.Record(Name, Path, strict)),
  },
  strict,
);

/** How it says no: with status 200 a field is false, and the code is at one of these places. */
export const Errors = Type.Object(
  {
    okField: Type.Optional(Text),
    code: Type.Optional(Type.Array(Path)),
    /** What ends a grant, besides `invalid_grant`: a code, or a sign if the code also means other things. */
    invalidGrant: Type.Optional(Type.Array(Type.Union([Code, Sign]))),
    /** What rejects the client, besides the usual codes. It isn't the grant's fault, and a reconnect doesn't fix it. */
    invalidClient: Type.Optional(Type.Array(Type.Union([Code, Sign]))),
  },
  strict,
);
