import type { Role } from '../../http/index.ts';
import { type Clock, type NewId, type Transaction, UniqueViolation } from '../../platform/index.ts';
import { memberExists } from '../errors.ts';
import { findMemberByEmail, insertUser, type User } from './user-store.ts';

export type NewUser = { email: string; name: string | null; role: Role };

/** Addresses are compared case-insensitively. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/** A user of our own, known by an address that nobody else in the team has. */
export const addUser = async (
  { clock, newId }: { clock: Clock; newId: NewId },
  tx: Transaction,
  teamId: string,
  { email, name, role }: NewUser,
): Promise<User> => {
  const user: User = {
    id: newId(),
    teamId,
    email: normalizeEmail(email),
    name,
    role,
    outside: false,
    createdAt: clock.now(),
    signedInAt: null,
  };
  if (await findMemberByEmail(tx, teamId, user.email ?? '')) throw memberExists();
  try {
    await insertUser(tx, user, null);
  } catch (error) {
    throw error instanceof UniqueViolation ? memberExists() : error;
  }
  return user;
};
