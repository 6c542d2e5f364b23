import type { Queries } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { formatCredential, makeCredential } from '../records/credential.ts';
import { insertCredential, type LinkKind } from '../records/credential-store.ts';
import type { Holder } from '../records/holder.ts';

const HOUR_MS = 3_600_000;

/** How long a link works: one that someone asked for or lost, and one in an invitation. */
export const LINK_LIFETIME_MS = { asked: 24 * HOUR_MS, invitation: 7 * 24 * HOUR_MS } as const;

export type SignInLink = { id: string; address: string; expiresAt: number };

/**
 * A link that signs its user in, once. Only this result ever shows it. Unless it goes to the user's own address or the
 * operator makes it, the person who made it could use it themselves. Then it is `handed`, and opens no other team, and
 * the session that begins with it names its maker.
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
