import { type AuditActor, SERVICE } from '../../teams/index.ts';
import type { Approval } from './approval.ts';

type Named = Pick<Approval, 'tokenName' | 'provider' | 'connection'>;

/** What the audit log says about an approval. It leaves out the path, which may contain anything. */
export const auditDetailOf = ({ tokenName: askedBy, provider, connection }: Named, method: string) => ({
  askedBy,
  method,
  provider,
  connection,
});

/** The restricted token as an actor, for its user. */
export const tokenActor = ({
  userId,
  tokenId,
  tokenName,
}: Pick<Approval, 'userId' | 'tokenId' | 'tokenName'>): AuditActor => ({
  ...SERVICE,
  kind: 'user',
  userId,
  tokenId,
  tokenName,
  restrictedToken: tokenName,
});
