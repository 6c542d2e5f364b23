import type { Queries } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { formatCredential, makeCredential } from '../records/credential.ts';
import { insertCredential, type LinkKind } from '../records/credential-store.ts';
import type { Holder } from '../records/holder.ts';

const HOUR_MS = 3_600_000;

/** How long a link works: a requested one, and one in an invitation. */
export const LINK_LIFETIME_MS = { asked: 24 * HOUR_MS, invitation: 7 * 24 * HOUR_MS } as const;

export type SignInLink = { id: string; address: string; expiresAt: number };

/**
 * Creates a link that signs its user in once. The database only has a digest of its secret. A link is `handed` if the
 * admin who made it gets it, and could use it in place of the user. Such a link opens no other team of the user, and
 * the session that it starts names the admin.
 */
export const makeSignInLink = async (
  { clock, newId, url }: Pick<TeamsContext, 'clock' | 'newId' | 'url'>,
  queries: Queries,
  holder: Holder,
  lifetimeMs: number,
  kind: LinkKind = 'handed',
  madeBy: string | null = null,
): Promise<SignInLink> => {
  const link = makeCredential(newId);
  const createdAt = clock.now();
  const expiresAt = createdAt + lifetimeMs;
  await insertCredential(queries, 'sign_in_links', link, holder, { createdAt, expiresAt, kind, madeBy });
  return { id: link.id, address: `${url}/sign-in/${formatCredential(link)}`, expiresAt };
};
