import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import { Address, Name, Path, requestFields, strict, Text, Texts } from './entry-fields.ts';

const HEADER_NAME = { pattern: '^[A-Za-z0-9_.-]+$', description: 'the name of a header' };

/** In a header, or as a field of the query. */
const oneCredential = [
  Type.Object({ header: Type.String(HEADER_NAME), format: Text }, strict),
  Type.Object(
    { query: Type.String({ pattern: '^[A-Za-z0-9_.-]+$', description: 'the name of a field in the query' }) },
    strict,
  ),
] as const;

/** Header → format, for a key that consists of several secrets. */
const SeveralHeaders = Type.Object(
  { headers: Type.Record(Type.String(HEADER_NAME), Text, { ...strict, minProperties: 2, maxProperties: 5 }) },
  strict,
);

const apiFields = {
  /** What the path is appended to. */
  url: Address,
  /** Other places to call, by the name that a request gives them. */
  hosts: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$' }), Address, strict)),
  /** Sent with every request, such as the API's version. A caller may set another. */
  headers: Type.Optional(Texts),
  /** A cheap request that shows whether the credential works. */
  verify: Type.Optional(
    Type.Object(
      {
        method: Type.Enum(['GET', 'POST']),
        /** Appended to `url`. May contain placeholders and a query. */
        path: Type.String({ pattern: '^/', description: 'a path, which begins with /' }),
        /** One of `hosts`, if it isn't at `url`. */
        host: Type.Optional(Text),
        /** Sent as JSON. */
        body: Type.Optional(Texts),
      },
      strict,
    ),
  ),
  /** After a 401, only requests that may be repeated by their method are sent again. */
  replay: Type.Optional(Type.Literal('idempotent')),
};

/** The provider's API, as the proxy calls it. By default, the access token is a bearer token. */
export const Api = Type.Object({ ...apiFields, credential: Type.Optional(Type.Union([...oneCredential])) }, strict);

/** The same for a key. */
export const KeyApi = Type.Object(
  { ...apiFields, credential: Type.Optional(Type.Union([...oneCredential, SeveralHeaders])) },
  strict,
);

/**
 * One consent may cover several sites, tenants or organizations, and the API wants to know which one is meant. This is how
 * to list them. What is kept of the chosen one fills placeholders in `api`, and stands before what identity says.
 */
export const Sites = Type.Object(
  {
    /** Without a URL, they're listed in the identity response. */
    url: Type.Optional(Address),
    ...requestFields,
    /** The provider's word for one of them, within a sentence. Default: site. */
    called: Type.Optional(Type.String({ pattern: '^[a-z]+$', maxLength: 20, description: 'one lowercase word' })),
    /** The place of the list in the response. Empty if the response is the list. */
    list: Type.String({ maxLength: 200 }),
    /** Places within an element of the list. */
    id: Path,
    label: Path,
    keep: Type.Record(Name, Path, { ...strict, minProperties: 1 }),
  },
  strict,
);

export type ProviderApi = Static<typeof Api>;
