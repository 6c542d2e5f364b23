import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import { Address, Name, Path, requestFields, strict, Text, Texts } from './entry-fields.ts';

const HEADER_NAME = { pattern: '^[A-Za-z0-9_.-]+$', description: 'the name of a header' };

/** A credential in a header, or in a field of the query. */
const oneCredential = [
  Type.Object({ header: Type.String(HEADER_NAME), format: Text }, strict),
  Type.Object(
    { query: Type.String({ pattern: '^[A-Za-z0-9_.-]+$', description: 'the name of a field in the query' }) },
    strict,
  ),
] as const;

/** Several headers (name → format), for a key that consists of several secrets. */
const SeveralHeaders = Type.Object(
  { headers: Type.Record(Type.String(HEADER_NAME), Text, { ...strict, minProperties: 2, maxProperties: 5 }) },
  strict,
);

const apiFields = {
  /** The base URL, to which the path of a request is appended. */
  url: Address,
  /** Other base URLs, by name. A request chooses one by its name. */
  hosts: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$' }), Address, strict)),
  /**
   * Headers of every request, such as the API's version. A caller can override them, except those that contain a secret
   * of the OAuth app, which are sent like the credential.
   */
  headers: Type.Optional(Texts),
  /** A cheap request that shows whether the credential works. */
  verify: Type.Optional(
    Type.Object(
      {
        method: Type.Enum(['GET', 'POST']),
        /** Appended to `url`. May contain placeholders and a query. */
        path: Type.String({ pattern: '^/', description: 'a path, which begins with /' }),
        /** The name of one of `hosts`, if the request doesn't go to `url`. */
        host: Type.Optional(Text),
        /** Sent as JSON. */
        body: Type.Optional(Texts),
        /** Headers of this request alone, besides those of every request. */
        headers: Type.Optional(Texts),
        /** The only status that accepts the credential. Any other 2xx refuses it. Default: every 2xx accepts it. */
        status: Type.Optional(Type.Integer({ minimum: 200, maximum: 299 })),
        /** Places in the response that must have a value. Without one, the credential is refused. */
        has: Type.Optional(Type.Array(Path, { minItems: 1, maxItems: 5 })),
        /** Places in the response that must have no value, because the provider refuses with a 2xx. */
        lacks: Type.Optional(Type.Array(Path, { minItems: 1, maxItems: 5 })),
      },
      strict,
    ),
  ),
  /**
   * Which requests only read. Default: those whose method is GET or HEAD. A list names requests instead, if methods say
   * nothing, as in APIs where everything is a POST: only what it names reads. A path is a pattern, as restricted tokens
   * have it. After the method, the name of one of `hosts` may stand.
   */
  reads: Type.Optional(
    Type.Union([
      Type.Literal('methods'),
      Type.Array(
        Type.String({
          pattern: '^(GET|HEAD|POST|PUT|PATCH|DELETE) ([a-z][a-z0-9-]{0,39} )?/\\S*$',
          description: 'a method and a path, such as POST /conversations.list',
        }),
        { maxItems: 500 },
      ),
    ]),
  ),
  /**
   * Paths at which a GET or HEAD acts, if `reads` isn't a list. Such a path counts wherever its segments stand one after
   * the other, at any host. `*` stands for one segment, and `*:run` for one that ends so.
   */
  acts: Type.Optional(
    Type.Array(
      Type.String({ pattern: '^(/[^/\\s%*]+|/\\*[^/\\s%*]*)+$', description: 'a path, such as /messages/send' }),
      { minItems: 1, maxItems: 100 },
    ),
  ),
  /**
   * If set, a request is sent again after a 401 only if its method is idempotent, or if it has an `Idempotency-Key`.
   */
  replay: Type.Optional(Type.Literal('idempotent')),
  /** If set, the provider learns the trace of each request, in `traceparent`. */
  traceparent: Type.Optional(Type.Literal(true)),
};

/**
 * How the proxy calls the provider's API. By default, it sends the access token as a bearer token. A format that begins
 * with `Basic ` is encoded in base64 after that word.
 */
export const Api = Type.Object({ ...apiFields, credential: Type.Optional(Type.Union([...oneCredential])) }, strict);

/** The API of a provider that is connected with a key. The credential may consist of several headers. */
export const KeyApi = Type.Object(
  { ...apiFields, credential: Type.Optional(Type.Union([...oneCredential, SeveralHeaders])) },
  strict,
);

/**
 * How to list the sites of a grant. At some providers, one consent covers several sites, tenants or organizations, and
 * the API needs to know which one to use. Values kept from the chosen site fill placeholders in `api`, and override
 * values kept from the identity response.
 */
export const Sites = Type.Object(
  {
    /** Without a URL, the sites are listed in the identity response. */
    url: Type.Optional(Address),
    ...requestFields,
    /** The provider's word for a site, in lower case. Default: site. */
    called: Type.Optional(Type.String({ pattern: '^[a-z]+$', maxLength: 20, description: 'one lowercase word' })),
    /** The path of the list in the response. Empty if the response is the list. */
    list: Type.String({ maxLength: 200 }),
    /** Paths within an element of the list. */
    id: Path,
    label: Path,
    keep: Type.Record(Name, Path, { ...strict, minProperties: 1 }),
  },
  strict,
);

export type ProviderApi = Static<typeof Api>;
