import { isKeyBased } from '../catalogue/catalogue.ts';
import { withDefaults } from '../catalogue/placeholders.ts';
import { changeStanding } from '../connections/change-standing.ts';
import type { Connection, ConnectionKey } from '../connections/connection.ts';
import { getConnection } from '../connections/connection-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { openKey } from './connection-key.ts';
import { isVerificationDue, nextVerificationAt, retryRejectedAt, retryVerificationAt } from './verification.ts';
import { claimVerification, makeKeyDue } from './verification-store.ts';
import { type KeyVerdict, verifyKey } from './verify-key.ts';

/**
 * Longer than a verification takes. If the process dies meanwhile, another process verifies the key after this time.
 */
const LEASE_MS = 60_000;
/** The minimum time between two verifications of a refused key, however many requests the provider refuses. */
const DOUBT_EVERY_MS = 60_000;

const REFUSED = 'The provider no longer accepts this key. Enter a new one.';
const UNREADABLE = "The stored key can't be decrypted with the current keys.";

type Standing = Pick<Connection, 'status' | 'reason' | 'lastError' | 'troubleSince'>;

const WORKS: Standing = { status: 'connected', reason: null, lastError: null, troubleSince: null };

/** Verifies stored keys: once a day, and soon after a provider has refused one. */
export const createKeyVerifier = (context: IntegrationsContext) => {
  const { database, vault, clock, catalogue, log, pause, forgetStatus } = context;

  const write = async (connection: Connection, changes: Partial<Connection>): Promise<void> => {
    // Nothing is written if the key has been replaced or removed since it was read.
    await changeStanding(context, connection, changes);
    forgetStatus(connection.teamId);
  };

  const writeBroken = (connection: Connection, reason: string, lastError: string): Promise<void> => {
    const { teamId, provider, troubleSince } = connection;
    const now = clock.now();
    log.warn({ teamId, provider, reason }, 'a key no longer works');
    const since = Math.min(troubleSince ?? now, now);
    const standing: Standing = { status: 'needs_reconnect', reason, lastError, troubleSince: since };
    return write(connection, { ...standing, verifyDueAt: retryRejectedAt(now, since, Math.random()) });
  };

  const writeVerdict = (connection: Connection, verdict: KeyVerdict): Promise<void> => {
    const now = clock.now();
    if (verdict.outcome === 'rejected') return writeBroken(connection, 'key_refused', REFUSED);
    if (verdict.outcome === 'accepted')
      return write(connection, { ...WORKS, verifyDueAt: nextVerificationAt(now, Math.random()) });
    // The outcome says nothing about the key, so only schedule the next verification.
    const retryAfterMs = verdict.outcome === 'unavailable' ? verdict.retryAfterMs : null;
    return write(connection, { verifyDueAt: retryVerificationAt(now, retryAfterMs, Math.random()) });
  };

  return {
    /** Verifies a key that is due. Does nothing if another process is verifying it. */
    async verify(key: ConnectionKey): Promise<void> {
      const connection = await getConnection(database, key);
      const now = clock.now();
      if (!connection || connection.verifyDueAt === null || !isVerificationDue(connection.verifyDueAt, now)) return;
      await pause.check();
      const claimed = await claimVerification(database, connection, now + LEASE_MS);
      if (claimed === 0) return;
      const provider = catalogue.get(key.provider);
      // The entry was removed, or uses OAuth now. Either change may be undone.
      if (!provider || !isKeyBased(provider)) return writeVerdict(connection, { outcome: 'not_asked' });
      const fields = await openKey(vault, connection);
      if (!fields) return writeBroken(connection, 'unreadable', UNREADABLE);
      const values = { ...withDefaults(connection.details, provider.record), ...fields };
      await writeVerdict(connection, await verifyKey(context, provider, values));
    },

    /** Schedules a verification of a key that the provider has just refused, at most once a minute. */
    async doubt(connection: Connection): Promise<void> {
      const now = clock.now();
      const { renewedAt, provider } = connection;
      if (renewedAt !== null && renewedAt <= now && now - renewedAt < DOUBT_EVERY_MS) return;
      await makeKeyDue(database, connection, { now, notSince: now - DOUBT_EVERY_MS }).catch((err) =>
        log.warn({ err, provider }, 'a key that was refused could not be scheduled for verification'),
      );
    },
  };
};

export type KeyVerifier = ReturnType<typeof createKeyVerifier>;
