import type { Role } from '../../http/index.ts';
import { type Transaction, UniqueViolation } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { memberExists } from '../errors.ts';
import { findMemberByEmail, insertUser, type User } from './user-store.ts';

/** Lowercases an email address, because upper and lower case are treated as the same. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/** Adds a user who signs in with an email address. Nobody else in the team may have the same address. */
export const addUser = async (
  { clock, newId }: Pick<TeamsContext, 'clock' | 'newId'>,
  tx: Transaction,
  teamId: string,
  { email, name, role }: { email: string; name: string | null; role: Role },
): Promise<User> => {
  const address = normalizeEmail(email);
  if (await findMemberByEmail(tx, teamId, address)) throw memberExists();
  const known = { id: newId(), teamId, email: address, name, role };
  const user = { ...known, key: null, source: 'patchbay' as const, createdAt: clock.now(), signedInAt: null };
  try {
    await insertUser(tx, user, null);
  } catch (error) {
    throw error instanceof UniqueViolation ? memberExists() : error;
  }
  return user;
};
