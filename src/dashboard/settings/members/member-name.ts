import type { User } from '../../../teams/index.ts';

/** How a member is called on a page: outside identities need not have an address. */
export const memberName = ({ email, name }: Pick<User, 'email' | 'name'>): string => email ?? name ?? 'a member';
