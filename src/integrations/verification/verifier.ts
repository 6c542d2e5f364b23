import { isKeyBased, usesClientCredentials } from '../catalogue/catalogue.ts';
import { withDefaults } from '../catalogue/placeholders.ts';
import type { KeyProvider, OauthProvider } from '../catalogue/provider.ts';
import { changeStandingIn } from '../connections/change-standing.ts';
import { type Connection, type ConnectionKey, TOKEN_REFUSED } from '../connections/connection.ts';
import { changeConnection, getConnection } from '../connections/connection-store.ts';
import { listContained } from '../containment/consent-store.ts';
import {
  isVerificationDue,
  nextVerificationAt,
  postponeUntil,
  retryRejectedAt,
  retryVerificationAt,
} from '../due/verification.ts';
import { claimVerification, makeUnverified } from '../due/verification-store.ts';
import { openKey } from '../keys/connection-key.ts';
import { verifyKey } from '../keys/verify-key.ts';
import type { WorkingContext } from '../refresh/working-connection.ts';
import { type Examined, examineToken } from './examine-token.ts';
import { createMassRefusals } from './mass-refusal.ts';

/*
 * The verification of a connection: whether its key or access token still works. `verify_due_at` is the schedule and the
 * lease in one.
 *
 *   due ──moved ahead by LEASE_MS──▶ asking ──accepted──▶ connected, due in a day
 *                                     ├─ rejected ──▶ a token: renewed and asked once more
 *                                     │                 └─ a key, or rejected again ──▶ needs_reconnect, asked again soon
 *                                     └─ unclear ──▶ no change, asked again in an hour or a day
 *
 * Guarantees:
 *
 * - Only the process that moved the time asks. If it dies, another one asks after the lease has ended.
 * - A verdict is only written if the time is still where this process moved it to, and the credential is the one that
 *   was asked about. So it's lost if the connection was replaced, removed, refused through the proxy, or if its team is
 *   being erased.
 * - A token that was used or refreshed within a day isn't asked about.
 */

/** Longer than two verifications, two requests about the account, and a refresh take. */
const LEASE_MS = 120_000;
/** The minimum time between two verifications of a refused credential, however many requests the provider refuses. */
const DOUBT_EVERY_MS = 60_000;

const KEY_REFUSED = 'The provider no longer accepts this key. Enter a new one.';
const KEY_UNREADABLE = "The stored key can't be decrypted with the current keys.";
const TOKEN_NOT_ACCEPTED =
  'The provider no longer accepts the access token, though it may not have ended access. Connect again.';

const WORKS = { status: 'connected', reason: null, lastError: null, troubleSince: null } as const;

type Changes = Partial<Connection> & Pick<Connection, 'verifyDueAt'>;

/** Some providers refuse a token with status 200, so that a use through the proxy doesn't show whether it works. */
const withTellingUses = ({ record }: OauthProvider, connection: Connection): Connection =>
  record.errors?.okField === undefined ? connection : { ...connection, usedAt: null };

/** Verifies connections: right after a connect, once a day, and soon after a provider has refused one. */
export const createVerifier = (context: WorkingContext) => {
  const { database, vault, clock, catalogue, log, pause, forgetStatus } = context;

  const massRefusals = createMassRefusals(context);

  /** Writes the verdict on a connection that was claimed until then. */
  const settle = async (connection: Connection, claimedUntil: number, changes: Changes): Promise<void> => {
    await database.transaction(async (tx) => {
      const current = await getConnection(tx, connection, 'for update');
      if (current?.verifyDueAt !== claimedUntil) return;
      const { status } = changes;
      if (status === undefined) await changeConnection(tx, connection, changes);
      else await changeStandingIn(context, tx, connection, { ...changes, status });
    });
    forgetStatus(connection.teamId);
  };

  const toBroken = (connection: Connection, reason: string, lastError: string): Changes => {
    const { teamId, provider, troubleSince } = connection;
    const now = clock.now();
    log.warn({ teamId, provider, reason }, 'a credential no longer works');
    const since = Math.min(troubleSince ?? now, now);
    const verifyDueAt = retryRejectedAt(now, since, Math.random());
    return { status: 'needs_reconnect', reason, lastError, troubleSince: since, verifyDueAt };
  };

  const verifyKeyOf = async (provider: KeyProvider, connection: Connection): Promise<Changes> => {
    const now = clock.now();
    // An access token was issued for this key. Renewing it shows whether the key works.
    if (usesClientCredentials(provider)) return { verifyDueAt: null };
    // The claim may have waited for a lock. Lifting the containment makes it due.
    if ((await listContained(database, [connection])).length > 0) return { verifyDueAt: null };
    const fields = await openKey(vault, connection);
    if (!fields) return toBroken(connection, 'unreadable', KEY_UNREADABLE);
    const verdict = await verifyKey(context, provider, {
      ...withDefaults(connection.details, provider.record),
      ...fields,
    });
    if (verdict.outcome === 'rejected') return toBroken(connection, 'key_refused', KEY_REFUSED);
    if (verdict.outcome === 'accepted') return { ...WORKS, verifyDueAt: nextVerificationAt(now, Math.random()) };
    // The outcome says nothing about the key, so only schedule the next verification.
    const retryAfterMs = verdict.outcome === 'unavailable' ? verdict.retryAfterMs : null;
    return { verifyDueAt: retryVerificationAt(now, retryAfterMs, Math.random()) };
  };

  const judgeToken = ({ connection, opinion }: Examined): Changes => {
    const now = clock.now();
    const { provider, reason } = connection;
    const tomorrow = nextVerificationAt(now, Math.random());
    if (opinion.outcome === 'accepted') {
      massRefusals.accept(connection);
      const verified = opinion.by === 'verification' ? { verifiedAt: now } : {};
      return { ...(reason === TOKEN_REFUSED ? WORKS : {}), ...verified, verifyDueAt: tomorrow };
    }
    if (opinion.outcome === 'rejected') {
      if (opinion.proven) {
        if (reason === TOKEN_REFUSED || massRefusals.believes(connection))
          return toBroken(connection, TOKEN_REFUSED, TOKEN_NOT_ACCEPTED);
        log.error({ provider }, 'a provider refuses so many connections at once that it is not believed');
        return { verifyDueAt: retryVerificationAt(now, null, Math.random()) };
      }
      log.warn({ provider }, 'a verification refuses a token that no request has accepted before');
    }
    if (opinion.outcome === 'too_young') return { verifyDueAt: retryRejectedAt(now, now, Math.random()) };
    if (opinion.outcome === 'unavailable')
      return { verifyDueAt: retryVerificationAt(now, opinion.retryAfterMs, Math.random()) };
    return { verifyDueAt: tomorrow };
  };

  return {
    /**
     * Verifies a connection that is due. Does nothing if another process is verifying it. Returns whether the provider
     * was asked.
     */
    async verify(key: ConnectionKey): Promise<boolean> {
      const connection = await getConnection(database, key);
      const now = clock.now();
      if (!connection || connection.verifyDueAt === null || !isVerificationDue(connection.verifyDueAt, now))
        return false;
      if (connection.containedBy !== null) {
        // Lifting the containment makes it due.
        await changeConnection(database, connection, { verifyDueAt: null });
        return false;
      }
      await pause.check();
      const provider = catalogue.get(key.provider);
      const random = Math.random();
      // An entry that was removed may come back.
      const later = provider ? null : nextVerificationAt(now, random);
      const postponed =
        provider && !isKeyBased(provider) ? postponeUntil(withTellingUses(provider, connection), now, random) : later;
      const claimedUntil = postponed ?? now + LEASE_MS;
      const claimed = await claimVerification(database, connection, claimedUntil);
      if (claimed === 0 || postponed !== null || !provider) return false;
      if (isKeyBased(provider)) {
        await settle(connection, claimedUntil, await verifyKeyOf(provider, connection));
        return true;
      }
      const examined = await examineToken(context, provider, connection);
      if (examined) await settle(examined.connection, claimedUntil, judgeToken(examined));
      return examined?.opinion.outcome !== 'not_asked';
    },

    /**
     * Schedules a verification of a credential that the provider has just refused, at most once a minute. `isNew`: it has
     * just been renewed because the one before was refused, which happens at most once a minute, too.
     */
    async doubt(connection: Connection, { isNew = false } = {}): Promise<void> {
      const now = clock.now();
      const { renewedAt, provider } = connection;
      if (!isNew && renewedAt !== null && renewedAt <= now && now - renewedAt < DOUBT_EVERY_MS) return;
      const notSince = isNew ? now : now - DOUBT_EVERY_MS;
      await makeUnverified(database, connection, { now, notSince }).catch((err) =>
        log.warn({ err, provider }, 'a credential that was refused could not be scheduled for verification'),
      );
    },
  };
};

export type Verifier = ReturnType<typeof createVerifier>;
