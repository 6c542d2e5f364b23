import type { User } from '../../../teams/index.ts';

/** What a member is called on a page. Outside identities may have no address. */
export const memberName = ({ email, name }: Pick<User, 'email' | 'name'>): string => email ?? name ?? 'a member';
