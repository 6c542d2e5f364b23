import type { Role } from '../../http/index.ts';

/** The user that a credential belongs to. */
export type Holder = { userId: string; teamId: string; role: Role };

export const holderOf = ({ id: userId, teamId, role }: { id: string; teamId: string; role: Role }): Holder => ({
  userId,
  teamId,
  role,
});

/** Who called, and with which session or access token. Neither is set for the operator's token or an outside token. */
export type Visitor = {
  teamId: string;
  userId: string;
  sessionId?: string | undefined;
  tokenId?: string | undefined;
};
