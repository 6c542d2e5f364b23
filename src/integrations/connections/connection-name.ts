import { Type } from '../../platform/index.ts';

/** The name of a connection if the connect request gives no name. */
export const DEFAULT_CONNECTION = 'default';

const PATTERN = '^[a-z0-9][a-z0-9_-]{0,39}$';

export const ConnectionName = Type.String({
  pattern: PATTERN,
  description: '1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit',
});

export const isConnectionName = (text: string): boolean => new RegExp(PATTERN).test(text);

/** The title that people see. For `default`, it's just the provider's name. */
export const connectionTitle = ({ name, connection }: { name: string; connection: string }): string =>
  connection === DEFAULT_CONNECTION ? name : `${name} (${connection})`;

/** Sorts `default` first, and then by character code, regardless of the database's sort order. */
export const compareNames = (one: string, other: string): number =>
  Number(other === DEFAULT_CONNECTION) - Number(one === DEFAULT_CONNECTION) || (one < other ? -1 : Number(one > other));
