import type { Queries } from '../../platform/index.ts';
import { listUserNames, type User } from '../../teams/index.ts';

/** A user as responses name them: who connected an account, or who decided. For a removed user, only the key is known. */
export type NamedUser = { id: string; key: string | null; label: string };

export const nameUser = ({ id, key, email, name }: Pick<User, 'id' | 'key' | 'email' | 'name'>): NamedUser => ({
  id,
  key,
  label: email ?? name ?? key ?? id,
});

/** A user of whom nothing is left but the ID. */
export const unnamedUser = (id: string): NamedUser => ({ id, key: null, label: id });

export const listNamedUsers = async (
  queries: Queries,
  teamId: string,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, NamedUser>> => {
  const users = await listUserNames(queries, teamId, [...new Set(ids)]);
  return new Map(
    users.map((user) => [user.id, nameUser(user.isRemoved ? { ...user, email: null, name: null } : user)]),
  );
};
