import type { Clock, NewId, Queries } from '../platform/index.ts';
import { formatCredential, makeCredential } from './credential.ts';
import { type Holder, insertSignInLink } from './credential-store.ts';

const HOUR_MS = 3_600_000;

/** How long a link works: one that somebody waits for, and one that somebody is invited with. */
export const LINK_LIFETIME_MS = { asked: 24 * HOUR_MS, invitation: 7 * 24 * HOUR_MS } as const;

export type SignInLink = { id: string; address: string; expiresAt: number };

/** A link that signs its user in, once. Only this answer ever shows it. */
export const makeSignInLink = async (
  { clock, newId, url }: { clock: Clock; newId: NewId; url: string },
  queries: Queries,
  holder: Holder,
  lifetimeMs: number,
): Promise<SignInLink> => {
  const link = makeCredential(newId);
  const now = clock.now();
  const expiresAt = now + lifetimeMs;
  await insertSignInLink(queries, link, holder, now, expiresAt);
  return { id: link.id, address: `${url}/sign-in/${formatCredential(link)}`, expiresAt };
};

export const holderOf = ({ id, teamId, role }: { id: string; teamId: string; role: Holder['role'] }): Holder => ({
  userId: id,
  teamId,
  role,
});
