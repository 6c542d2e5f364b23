/** A person in a team, as oidc-provider knows them. */
type Account = { teamId: string; userId: string };

export const printAccount = ({ teamId, userId }: Account): string => `${teamId}.${userId}`;

export const parseAccount = (text: unknown): Account | null => {
  if (typeof text !== 'string') return null;
  const [teamId, userId] = text.split('.');
  return teamId && userId ? { teamId, userId } : null;
};
