import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import { Address, common, Name, Path, strict, Text, Texts } from './entry-fields.ts';
import type { KeyRecord } from './key-record.ts';
import { Api } from './provider-api.ts';
import { Webhook } from './provider-webhook.ts';

/*
 * A provider is data. What makes one differ from another is a field here and never a branch elsewhere. URLs, params and
 * headers may contain {placeholders}: the params of the connect request, what was kept from the callback and the token
 * response (`keep`), the entry's `defaults`, and `client_id`, `client_secret`, `access_token`, `refresh_token`,
 * `token`, `redirect_uri`. Those of `api` may also contain what was kept from the identity response, and `account_id`.
 * A param that ends up empty is left out.
 */

const Issuer = Type.String({ pattern: '^https?://', description: 'a URL, which begins with https://' });

/**
 * How to recognize a refusal when a code alone is too coarse. Everything named must be there. `says` has places in the
 * response and the words found there, in any case.
 */
const Sign = Type.Object(
  {
    status: Type.Optional(Type.Integer()),
    code: Type.Optional(Text),
    says: Type.Optional(Type.Record(Path, Text)),
  },
  // A status alone says too little to end a grant.
  { ...strict, anyOf: [{ required: ['code'] }, { required: ['says'] }] },
);

/** How one request to a provider is made. */
const requestFields = {
  method: Type.Optional(Type.Enum(['GET', 'POST', 'PUT', 'DELETE'])),
  /** How the client authenticates. `post`: id and secret among the params. `none`: only the id, if it's asked for. */
  auth: Type.Optional(Type.Enum(['basic', 'post', 'none'])),
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

/** Where to find things in a token response. Each is a list of paths, and the first with a value counts. */
const Response = Type.Object(
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

const Token = Type.Object(
  {
    url: Address,
    ...requestFields,
    response: Type.Optional(Response),
    /** A second request that turns the first token into the one to keep. */
    upgrade: Type.Optional(Type.Object({ url: Address, ...requestFields, response: Type.Optional(Response) }, strict)),
  },
  strict,
);

/** What `token` says holds for the refresh too, unless it's stated here. */
const Refresh = Type.Object(
  {
    url: Type.Optional(Address),
    ...requestFields,
    response: Type.Optional(Response),
    /** What the refresh is made with. A few providers have no refresh token and extend the access token. */
    with: Type.Optional(Type.Enum(['refresh_token', 'access_token'])),
    /** Whether a refresh ends the refresh token that it was made with. `unknown` is treated as `always`. */
    rotates: Type.Enum(['never', 'always', 'unknown']),
    /** How long a spent refresh token still works. */
    graceSeconds: Type.Optional(Type.Integer({ minimum: 1 })),
    /** A grant lapses when it isn't used for this long. Each refresh starts the count again. */
    idleDays: Type.Optional(Type.Integer({ minimum: 1 })),
    /** However it's used, the grant ends this long after the consent. */
    absoluteDays: Type.Optional(Type.Integer({ minimum: 1 })),
    /** With this scope, `absoluteDays` doesn't apply. */
    absoluteUnlessScope: Type.Optional(Text),
    /** An access token younger than this is not refreshed. */
    leastAgeSeconds: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  strict,
);

const Revoke = Type.Object(
  {
    url: Address,
    ...requestFields,
    /** Which token to send, or the other one if there is none. */
    token: Type.Optional(Type.Enum(['refresh', 'access'])),
    /** The param that carries it. Empty if a header or the URL does. */
    param: Type.Optional(Type.String()),
    /** Statuses that mean it's done, and statuses or signs that mean there was nothing left to do. */
    ok: Type.Optional(Type.Array(Type.Integer())),
    gone: Type.Optional(Type.Array(Type.Union([Type.Integer(), Sign]))),
    /** `token`: only the token ends. `grant`: every token of the same account and client does. */
    kills: Type.Optional(Type.Enum(['token', 'grant'])),
  },
  strict,
);

const Identity = Type.Object(
  {
    /** Without a URL, the account is read from the token response. */
    url: Type.Optional(Address),
    ...requestFields,
    /** A place in the response, or a placeholder if the account is already known. */
    id: Path,
    label: Path,
    /** What else of it is worth keeping, for the API and the webhook: our name → its place. */
    keep: Type.Optional(Type.Record(Name, Path, strict)),
  },
  strict,
);

const Callback = Type.Object(
  {
    codeParam: Type.Optional(Text),
    stateParam: Type.Optional(Text),
    /** Our name → the param, and what it must look like. */
    keep: Type.Optional(
      Type.Record(
        Name,
        Type.Object({ param: Text, pattern: Text, required: Type.Optional(Type.Boolean()) }, strict),
        strict,
      ),
    ),
    /** The param with an HMAC-SHA256, in hex, over all others in order. The key is the client secret. */
    hmacParam: Type.Optional(Text),
    /** The param that tells which scopes were granted. */
    scopeParam: Type.Optional(Text),
  },
  strict,
);

const base = {
  ...common,
  kind: Type.Optional(Type.Literal('oauth2')),
  /** Equal to the `iss` of its callbacks. Without `authorize` and `token`, everything else is discovered from it. */
  issuer: Type.Optional(Issuer),
  /** Every callback carries `iss`, and one without it is refused (RFC 9207). */
  issuerInCallback: Type.Optional(Type.Boolean()),
  /** Requested if the connect request names none. */
  scopes: Type.Array(Text),
  /** Always requested: what identity and refresh need. */
  requiredScopes: Type.Optional(Type.Array(Text)),
  pkce: Type.Optional(Type.Enum(['required', 'supported', 'off'])),
  callback: Type.Optional(Callback),
  refresh: Type.Optional(Type.Union([Refresh, Type.Null()])),
  revoke: Type.Optional(Type.Union([Revoke, Type.Null()])),
  identity: Type.Optional(Type.Union([Identity, Type.Null()])),
  api: Type.Optional(Type.Union([Api, Type.Null()])),
  webhook: Type.Optional(Type.Union([Webhook, Type.Null()])),
  /** How it says no: with status 200 a field is false, and the code is at one of these places. */
  errors: Type.Optional(
    Type.Object(
      {
        okField: Type.Optional(Text),
        code: Type.Optional(Type.Array(Path)),
        /** What ends a grant, besides `invalid_grant`: a code, or a sign if the code also means other things. */
        invalidGrant: Type.Optional(Type.Array(Type.Union([Text, Sign]))),
        /** What rejects the client, besides the usual codes. It isn't the grant's fault, and a reconnect doesn't fix it. */
        invalidClient: Type.Optional(Type.Array(Type.Union([Text, Sign]))),
      },
      strict,
    ),
  ),
};

/** The short form: everything is discovered from the issuer. */
export const DiscoveredRecord = Type.Object({ ...base, issuer: Issuer }, strict);

export const FullRecord = Type.Object(
  {
    ...base,
    authorize: Type.Object(
      {
        url: Address,
        params: Type.Optional(Texts),
        rename: Type.Optional(Texts),
        omit: Type.Optional(Type.Array(Text)),
        /** Between scopes. A space in RFC 6749. */
        scopeSeparator: Type.Optional(Type.Enum([' ', ',', '+'])),
      },
      strict,
    ),
    token: Token,
  },
  strict,
);

export type DiscoveredRecord = Static<typeof DiscoveredRecord>;
export type FullRecord = Static<typeof FullRecord>;
export type OauthRecord = FullRecord | DiscoveredRecord;
export type ProviderRecord = OauthRecord | KeyRecord;

/** A provider as the service knows it, from the catalog or from the operator's own file. */
type Known<Record> = {
  record: Record;
  /** From the operator's file. Its addresses may be private. */
  custom: boolean;
};
export type OauthProvider = Known<OauthRecord>;
/** One that is connected with a key, which a person enters. */
export type KeyProvider = Known<KeyRecord>;
export type Provider = OauthProvider | KeyProvider;

export type Catalogue = ReadonlyMap<string, Provider>;

/** A provider whose entry is complete, if need be from its issuer's discovery document. */
export type ResolvedProvider = {
  record: FullRecord;
  custom: boolean;
  /** Its URLs come from the discovery document. */
  discovered?: boolean;
};

export type RequestFields = Pick<Static<typeof Token>, keyof typeof requestFields>;
export type ResponseFields = Static<typeof Response>;
/** A status or a code alone, or several things together. */
export type ErrorSign = number | string | Static<typeof Sign>;
