import { type AuditActor, type BegunWith, callerRemoved } from '../../teams/index.ts';
import { findKeyProvider } from '../catalogue/catalogue.ts';
import { refuseWithoutRoom } from '../connections/find-connection.ts';
import type { IntegrationsContext } from '../context.ts';
import { connectTurnsIn } from '../requests/connect-turns.ts';
import { acceptKey, checkKey, type EnteredKey } from './accept-key.ts';
import { storeKey } from './store-key.ts';

/** Stores a key as a connection, once the provider has accepted it. */
export const putKey = async (
  context: IntegrationsContext,
  { teamId, userId, ...credential }: BegunWith & { teamId: string; userId: string },
  { provider: id, connection: name, ...entered }: EnteredKey & { provider: string; connection: string },
  actor: AuditActor,
): Promise<void> => {
  const provider = findKeyProvider(context.catalogue, id);
  const checked = checkKey(provider, entered);
  const begunAt = context.clock.now();
  await connectTurnsIn(context.database)({ teamId, userId }, async () => {
    await refuseWithoutRoom(context, { teamId, provider: id, name });
    const accepted = await acceptKey(context, provider, checked, { teamId, userId });
    const begun = { begunAt, ...credential };
    const storing = { teamId, userId, provider: id, name, begun, mayReplace: true, refuseGone: callerRemoved };
    await storeKey(context, provider, accepted, { ...storing, enteredAt: begunAt }, actor);
  });
};
