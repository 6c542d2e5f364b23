import assert from 'node:assert/strict';
import type { Server } from '../../src/http/index.ts';

type Headers = Record<string, string>;

/** Makes a token as the person or the operator in `headers`, and returns what its bearer sends. */
export const makeToken = async (
  server: Server,
  headers: Headers,
  rights: Record<string, unknown>,
): Promise<Headers> => {
  const made = await server.inject({
    method: 'POST',
    url: '/api/tokens',
    headers,
    payload: { name: 'agent', ...rights },
  });
  assert.equal(made.statusCode, 201, made.body);
  return { authorization: `Bearer ${made.json().token}` };
};
