import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import { ASSERTION_ALGORITHMS } from './client.ts';
import {
  Address,
  common,
  Errors,
  Field,
  Name,
  Path,
  Response,
  requestFields,
  Sign,
  strict,
  Text,
  Texts,
} from './entry-fields.ts';
import type { ClientCredentialsRecord, KeyRecord } from './key-record.ts';
import { CallLog, PeopleRules } from './people/people.ts';
import type { Proof } from './proof.ts';
import { Api, Sites } from './provider-api.ts';
import { Webhook } from './webhook/webhook.ts';

/*
 * A provider is data. Whatever distinguishes it from others is a field here, and never a branch in the code.
 *
 * URLs, params and headers may contain {placeholders}. These stand for the params of the connect request, values kept
 * from the callback and the token response (`keep`), the entry's `defaults` and `clientFields`, and `client_id`,
 * `client_secret`, `access_token`, `refresh_token`, `token` and `redirect_uri`. In `api`, they may also stand for
 * `account_id` and for values kept from the identity response and the chosen site, but `client_secret` only in the
 * headers of every request. In params and headers, `random` is a fresh 128-bit value for each request. `state` is known
 * only when a code is exchanged. A param whose value is empty is left out.
 */

const Issuer = Type.String({ pattern: '^https?://', description: 'a URL, which begins with https://' });

/** The assertion that a client signs if it authenticates with a private key. */
const Assertion = Type.Object(
  {
    /** The audience of the assertion. Default: the token endpoint. */
    audience: Type.Optional(Type.Enum(['token_url', 'issuer'])),
    /** The algorithms that the provider accepts. The first one that the key supports is used. */
    algorithms: Type.Optional(Type.Array(Type.Enum([...ASSERTION_ALGORITHMS]), { minItems: 1 })),
  },
  strict,
);

const Token = Type.Object(
  {
    url: Address,
    ...requestFields,
    response: Type.Optional(Response),
    /** A second request, which exchanges the first token for the one to keep. */
    upgrade: Type.Optional(Type.Object({ url: Address, ...requestFields, response: Type.Optional(Response) }, strict)),
  },
  strict,
);

/** How tokens are refreshed. Fields that are missing here are taken from `token`. */
const Refresh = Type.Object(
  {
    url: Type.Optional(Address),
    ...requestFields,
    response: Type.Optional(Response),
    /** The token that a refresh sends. A few providers have no refresh tokens, and extend the access token instead. */
    with: Type.Optional(Type.Enum(['refresh_token', 'access_token'])),
    /**
     * Recognizes a response that contains no token, but extends the current tokens: path → exact text. Only the expiry
     * changes then.
     */
    extended: Type.Optional(Type.Record(Path, Text, { minProperties: 1 })),
    /** Whether a refresh token stops working once it has been used. `unknown` is treated as `always`. */
    rotates: Type.Enum(['never', 'always', 'unknown']),
    /** How long a used refresh token still works. */
    graceSeconds: Type.Optional(Type.Integer({ minimum: 1 })),
    /** The grant ends when it isn't used for this long. Each refresh restarts this period. */
    idleDays: Type.Optional(Type.Integer({ minimum: 1 })),
    /** The grant ends this long after the consent, even if it's in constant use. */
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
    /** The token to send. If the grant has no such token, the other one is sent. */
    token: Type.Optional(Type.Enum(['refresh', 'access'])),
    /** The param that carries the token. Empty if a header or the URL carries it. */
    param: Type.Optional(Type.String()),
    /** `ok`: statuses that mean success. `gone`: statuses or signs that mean the token had already ended. */
    ok: Type.Optional(Type.Array(Type.Integer())),
    gone: Type.Optional(Type.Array(Type.Union([Type.Integer(), Sign]))),
    /** `token`: only this token ends. `grant`: every token of the same account and client ends. */
    kills: Type.Optional(Type.Enum(['token', 'grant'])),
  },
  strict,
);

const Identity = Type.Object(
  {
    /** Without a URL, the account is read from the token response. */
    url: Type.Optional(Address),
    ...requestFields,
    /** A path in the response, or a placeholder if the account is already known. */
    id: Path,
    label: Path,
    /** The place of the ID of the company, workspace, or site, if `id` is a person's. */
    installation: Type.Optional(Path),
    /** Other values to keep from the response, for the API and the webhook: our name → its place. */
    keep: Type.Optional(Type.Record(Name, Path, strict)),
  },
  strict,
);

const Callback = Type.Object(
  {
    codeParam: Type.Optional(Text),
    stateParam: Type.Optional(Text),
    /** Values to keep from the callback: our name → the param, and a pattern that its value must match. */
    keep: Type.Optional(
      Type.Record(
        Name,
        Type.Object({ param: Text, pattern: Text, required: Type.Optional(Type.Boolean()) }, strict),
        strict,
      ),
    ),
    /** The param with an HMAC-SHA256, in hex, over all other params in sorted order. The key is the client secret. */
    hmacParam: Type.Optional(Text),
    /** The param that lists the granted scopes. */
    scopeParam: Type.Optional(Text),
  },
  strict,
);

const base = {
  ...common,
  kind: Type.Optional(Type.Literal('oauth2')),
  /**
   * The issuer, which callbacks name in `iss`. If `authorize` and `token` are missing, they are discovered from the
   * issuer.
   */
  issuer: Type.Optional(Issuer),
  /** Whether every callback carries `iss`. If so, a callback without it is refused (RFC 9207). */
  issuerInCallback: Type.Optional(Type.Boolean()),
  /** Scopes to request if the connect request names none. */
  scopes: Type.Array(Text),
  /** Scopes that are always requested, because identity and refresh need them. */
  requiredScopes: Type.Optional(Type.Array(Text)),
  pkce: Type.Optional(Type.Enum(['required', 'supported', 'off'])),
  assertion: Type.Optional(Assertion),
  /**
   * Values that an OAuth app has besides its ID and secret, such as a key for the API. They come from the settings
   * `OAUTH_<PROVIDER>_<NAME>`, or are entered with a team's own app. A field that is used in `authorize` must not be
   * secret, because the person who connects sees that URL.
   */
  clientFields: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }), Field, { ...strict, minProperties: 1 }),
  ),
  callback: Type.Optional(Callback),
  refresh: Type.Optional(Type.Union([Refresh, Type.Null()])),
  /** How a grant is revoked. Null if the provider says that it can't be. Missing if nobody has found out. */
  revoke: Type.Optional(Type.Union([Revoke, Type.Null()])),
  /** Whose grant it is: each person's who consents, or one of a whole company, workspace, or site. */
  grantOf: Type.Optional(Type.Enum(['person', 'installation'])),
  identity: Type.Optional(Type.Union([Identity, Type.Null()])),
  sites: Type.Optional(Type.Union([Sites, Type.Null()])),
  api: Type.Optional(Type.Union([Api, Type.Null()])),
  webhook: Type.Optional(Type.Union([Webhook, Type.Null()])),
  people: Type.Optional(Type.Union([PeopleRules, Type.Null()])),
  log: Type.Optional(Type.Union([CallLog, Type.Null()])),
  errors: Type.Optional(Errors),
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
        /** The separator between scopes. In RFC 6749, it's a space. */
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
/** A built-in entry. It states its URLs, so it never needs discovery. */
export type BuiltInRecord = FullRecord | KeyRecord;

/** A provider, from the catalog or from the operator's own file. */
type Known<Record> = {
  record: Record;
  /** Whether the entry is from the operator's file. If so, its URLs may lead to private IP addresses. */
  custom: boolean;
  /** Only for a built-in entry. An operator's own entry has no evidence. */
  proof?: Proof;
};
export type OauthProvider = Known<OauthRecord>;
/** A provider that is connected with a key, which a person enters. */
export type KeyProvider = Known<KeyRecord> & {
  /**
   * Whether the operator's file contains the provider, as an entry or an extension. If so, the status lists it even
   * without a connection.
   */
  named?: boolean;
};
export type ClientCredentialsProvider = Known<ClientCredentialsRecord>;
export type Provider = OauthProvider | KeyProvider;

export type Catalogue = ReadonlyMap<string, Provider>;

/** A provider with a complete entry. Fields that the entry left out are from the issuer's discovery document. */
export type ResolvedProvider = {
  record: FullRecord;
  custom: boolean;
  /** Whether the URLs come from the discovery document. */
  discovered?: boolean;
  /** Set if tokens are requested with nothing but a client ID and secret, which a person enters. */
  grant?: 'client_credentials';
};

export type RequestFields = Pick<Static<typeof Token>, keyof typeof requestFields>;
export type SiteFields = Static<typeof Sites>;
export type ResponseFields = Static<typeof Response>;
/** Recognizes an error by a status, by a code, or by a combination. */
export type ErrorSign = number | string | Static<typeof Sign>;
