import type { Queries } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { formatCredential, makeCredential } from '../records/credential.ts';
import { insertCredential, type LinkKind } from '../records/credential-store.ts';
import { addHands, formatHands, type Hands } from '../records/handed-store.ts';
import type { Holder } from '../records/holder.ts';

const HOUR_MS = 3_600_000;

/** How long a link works: a requested one, and one in an invitation. */
export const LINK_LIFETIME_MS = { asked: 24 * HOUR_MS, invitation: 7 * 24 * HOUR_MS } as const;

export type SignInLink = { id: string; address: string; expiresAt: number };

/**
 * Creates a link that signs its user in once. Only the returned value contains its secret. A link is `handed` if the
 * person who made it could use it themselves: it wasn't emailed to the user, and the operator didn't make it. Such a
 * link opens no other team, and its session names the maker. `hands`: the people through whose hands the maker's own
 * session or access token came.
 */
export const makeSignInLink = async (
  { clock, newId, url }: Pick<TeamsContext, 'clock' | 'newId' | 'url'>,
  queries: Queries,
  holder: Holder,
  lifetimeMs: number,
  kind: LinkKind = 'handed',
  madeBy: string | null = null,
  hands: Hands = [],
): Promise<SignInLink> => {
  const link = makeCredential(newId);
  const createdAt = clock.now();
  const expiresAt = createdAt + lifetimeMs;
  const handedThrough = formatHands(addHands(hands, madeBy));
  await insertCredential(queries, 'sign_in_links', link, holder, { createdAt, expiresAt, kind, madeBy, handedThrough });
  return { id: link.id, address: `${url}/sign-in/${formatCredential(link)}`, expiresAt };
};
