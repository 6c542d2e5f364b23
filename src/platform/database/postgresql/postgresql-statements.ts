import type pg from 'pg';
import { refuseUndefined, type Value } from '../database.ts';
import { translatePostgresqlError } from './postgresql-errors.ts';

/** `pg` reads a time limit of its own from the query, which its types leave out. */
export const within = (query: pg.QueryConfig, timeoutMs: number): pg.QueryConfig =>
  Object.assign(query, { query_timeout: timeoutMs });

export type Asked = Pick<pg.ClientBase, 'query'>;

/** A statement that is not kept prepared. */
export const askOnce = async (client: Asked, text: string, values: readonly Value[]): Promise<pg.QueryResult> => {
  refuseUndefined(values);
  try {
    return await client.query({ text, values: [...values] });
  } catch (error) {
    throw translatePostgresqlError(error);
  }
};

/** A statement is prepared once per connection and text: its name is the text's number. */
export const createAsk = () => {
  const names = new Map<string, string>();
  return async (
    client: Asked,
    text: string,
    values: readonly Value[] = [],
    options?: Pick<pg.QueryArrayConfig, 'rowMode'>,
  ): Promise<pg.QueryResult> => {
    refuseUndefined(values);
    let name = names.get(text);
    if (name === undefined) {
      name = `p${names.size + 1}`;
      names.set(text, name);
    }
    try {
      return await client.query({ name, text, values: [...values], ...options });
    } catch (error) {
      throw translatePostgresqlError(error);
    }
  };
};
