import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import { Address, strict, Text, Texts } from './entry-fields.ts';

/** How the credential travels: in a header, or as a field of the query. */
const Credential = Type.Union([
  Type.Object(
    { header: Type.String({ pattern: '^[A-Za-z0-9-]+$', description: 'the name of a header' }), format: Text },
    strict,
  ),
  Type.Object(
    { query: Type.String({ pattern: '^[A-Za-z0-9_.-]+$', description: 'the name of a field in the query' }) },
    strict,
  ),
]);

/** The provider's API, as the proxy calls it. */
export const Api = Type.Object(
  {
    /** What the path is appended to. */
    url: Address,
    /** Other places to call, by the name that a request gives them. */
    hosts: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$' }), Address, strict)),
    /** Default: the access token as a bearer token. */
    credential: Type.Optional(Credential),
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
  },
  strict,
);

export type ProviderApi = Static<typeof Api>;
