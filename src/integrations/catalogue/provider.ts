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
import { Api, Sites } from './provider-api.ts';
import { Webhook } from './provider-webhook.ts';

/*
 * A provider is data. What makes one differ from another is a field here and never a branch elsewhere. URLs, params and
 * headers may contain {placeholders}: the params of the connect request, what was kept from the callback and the token
 * response (`keep`), the entry's `defaults`, and `client_id`, `client_secret`, `access_token`, `refresh_token`,
 * `token`, `redirect_uri`, `clientFields`. Those of `api` may also contain what was kept from the identity response and
 * of the chosen site, and `account_id`. In params and headers, `random` is a fresh 128-bit value for each request, and the
 * exchange of a code also has `state`. A param that ends up empty is left out.
 */

const Issuer = Type.String({ pattern: '^https?://', description: 'a URL, which begins with https://' });

/** What a client that authenticates with a private key signs. */
const Assertion = Type.Object(
  {
    /** Whom it's for. Default: the token endpoint. */
    audience: Type.Optional(Type.Enum(['token_url', 'issuer'])),
    /** Which algorithms the provider accepts. The first that the key can be used with is used. */
    algorithms: Type.Optional(Type.Array(Type.Enum([...ASSERTION_ALGORITHMS]), { minItems: 1 })),
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
    /**
     * What a response without a token says if the provider has extended the tokens that we hold: place → exactly this.
     * Only their expiry is new then.
     */
    extended: Type.Optional(Type.Record(Path, Text, { minProperties: 1 })),
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
  assertion: Type.Optional(Assertion),
  /**
   * What an OAuth app has besides its id and secret, such as a key for the API. Each comes from a setting,
   * `OAUTH_<PROVIDER>_<NAME>`, or with a team's own app. Whoever connects sees what `authorize` contains, which therefore
   * must not be secret.
   */
  clientFields: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }), Field, { ...strict, minProperties: 1 }),
  ),
  callback: Type.Optional(Callback),
  refresh: Type.Optional(Type.Union([Refresh, Type.Null()])),
  revoke: Type.Optional(Type.Union([Revoke, Type.Null()])),
  identity: Type.Optional(Type.Union([Identity, Type.Null()])),
  sites: Type.Optional(Type.Union([Sites, Type.Null()])),
  api: Type.Optional(Type.Union([Api, Type.Null()])),
  webhook: Type.Optional(Type.Union([Webhook, Type.Null()])),
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
/** A built-in entry, which is always complete. */
export type BuiltInRecord = FullRecord | KeyRecord;

/**
 * How far what an entry needs to connect can be trusted, from its evidence. `confirmed`: tried at the provider itself.
 * `documented`: every field has a public source. `recalled`: at least one has none.
 */
export const CONFIDENCE = ['confirmed', 'documented', 'recalled'] as const;
export type Confidence = (typeof CONFIDENCE)[number];

/** What a built-in entry's evidence amounts to. */
export type Proof = {
  confidence: Confidence;
  /** Fields that are doubtful, known only from memory, or stated without a source. */
  unconfirmed: readonly string[];
  /** How many fields the entry states, how many of them the provider itself documents, and the day or month of the last look. */
  sources: { fields: number; own: number; checked: string };
};

/** A provider as the service knows it, from the catalog or from the operator's own file. */
type Known<Record> = {
  record: Record;
  /** From the operator's file. Its addresses may be private. */
  custom: boolean;
  /** Only of a built-in entry. What an operator writes is theirs to know. */
  proof?: Proof;
};
export type OauthProvider = Known<OauthRecord>;
/** One that is connected with a key, which a person enters. */
export type KeyProvider = Known<KeyRecord> & {
  /** It's in the operator's file, on its own or as an extension, so the status lists it without a connection, too. */
  named?: boolean;
};
export type ClientCredentialsProvider = Known<ClientCredentialsRecord>;
export type Provider = OauthProvider | KeyProvider;

export type Catalogue = ReadonlyMap<string, Provider>;

/** A provider whose entry is complete, if need be from its issuer's discovery document. */
export type ResolvedProvider = {
  record: FullRecord;
  custom: boolean;
  /** Its URLs come from the discovery document. */
  discovered?: boolean;
  /** A person has entered the client's ID and secret, which are all that a token takes. */
  grant?: 'client_credentials';
};

export type RequestFields = Pick<Static<typeof Token>, keyof typeof requestFields>;
export type SiteFields = Static<typeof Sites>;
export type ResponseFields = Static<typeof Response>;
/** A status or a code alone, or several things together. */
export type ErrorSign = number | string | Static<typeof Sign>;
