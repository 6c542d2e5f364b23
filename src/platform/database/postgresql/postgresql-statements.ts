import type pg from 'pg';
import { refuseUndefined, type Value } from '../database.ts';
import { translatePostgresqlError } from './translate-postgresql-error.ts';

/** Adds a time limit to one query. `pg` supports that, but its types leave it out. */
export const withTimeLimit = (query: pg.QueryConfig, timeoutMs: number): pg.QueryConfig =>
  Object.assign(query, { query_timeout: timeoutMs });

export type Asked = Pick<pg.ClientBase, 'query'>;

/** Runs one statement. Without a `name`, the server doesn't keep it prepared. */
export const askOnce = async (
  client: Asked,
  text: string,
  values: readonly Value[],
  options?: { name?: string; rowMode?: 'array' },
): Promise<pg.QueryResult> => {
  refuseUndefined(values);
  try {
    return await client.query({ ...options, text, values: [...values] });
  } catch (error) {
    throw translatePostgresqlError(error);
  }
};

/** Runs statements, each of which is prepared once per connection, under a numbered name. */
export const createAsk = () => {
  const names = new Map<string, string>();
  return (
    client: Asked,
    text: string,
    values: readonly Value[] = [],
    options?: { rowMode?: 'array' },
  ): Promise<pg.QueryResult> => {
    const name = names.get(text) ?? `p${names.size + 1}`;
    names.set(text, name);
    return askOnce(client, text, values, { name, ...options });
  };
};
