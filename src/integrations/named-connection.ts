import type { Static } from 'typebox';
import { Type } from '../platform/index.ts';
import { ConnectionName } from './connections/connection-name.ts';
import { connectionConflicting } from './errors.ts';

/** The name of the connection that a request is about. It's in the query or in the body. */
export const ByName = Type.Object({ connection: Type.Optional(ConnectionName) }, { additionalProperties: false });

export const readConnectionName = (request: {
  query: Static<typeof ByName>;
  body: Static<typeof ByName>;
}): string | null => {
  const { query, body } = request;
  if (query.connection && body.connection && query.connection !== body.connection) throw connectionConflicting();
  return query.connection ?? body.connection ?? null;
};

export const WHICH =
  'Without `connection`, this is about the connection named `default`, or else the only one. If there are several, `integrations.connection_ambiguous` lists their names in `connections`. So does the response if none of them has the given name.';
