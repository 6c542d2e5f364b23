import { createSingleFlight, DatabaseUnavailable, digestOf } from '../../../platform/index.ts';
import { webhookUrlOf } from '../../catalogue/webhook/webhook.ts';
import type { IntegrationsContext } from '../../context.ts';
import { findAddress, listSecrets } from '../addresses/address-store.ts';
import { secretPlace } from '../addresses/manage-address.ts';
import { type Receiver, toKeys } from './receiver.ts';

/** Short enough that a change by another process is visible within a second. */
const FRESH_MS = 800;
const MOST_KNOWN = 10_000;
/** The length of an address. Nothing is looked up for a text of another length. */
const ADDRESS = /^[\w-]{43}$/;

/**
 * Finds the receiver at a team's address. The last ones are kept in memory, so that webhooks can be verified and kept
 * while the database is unavailable.
 */
export const createTeamReceivers = (
  context: Pick<IntegrationsContext, 'database' | 'vault' | 'clock' | 'catalogue' | 'url'>,
) => {
  const { database, vault, clock, catalogue, url } = context;
  const known = new Map<string, { at: number; receiver: Receiver }>();
  const flights = createSingleFlight<Receiver | null>();
  /** Counts the changes, so that a lookup that began before one isn't remembered. */
  let changes = 0;

  const remember = (digest: string, receiver: Receiver): void => {
    known.delete(digest);
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value ?? '');
    known.set(digest, { at: clock.now(), receiver });
  };

  const look = async (provider: string, address: string, digest: string): Promise<Receiver | null> => {
    const before = changes;
    const found = await findAddress(database, digest);
    const webhook = catalogue.get(provider)?.record.webhook;
    if (!found || found.provider !== provider || !webhook?.team) {
      known.delete(digest);
      return null;
    }
    const { id, teamId, openedAt } = found;
    const stored = await listSecrets(database, teamId, id);
    const secrets = await Promise.all(stored.map((one) => vault.open(teamId, secretPlace(one.id), one.secret)));
    const receiver: Receiver = {
      ...{ id, provider, webhook, teamId, openedAt },
      url: `${webhookUrlOf(url, provider)}/${address}`,
      keys: toKeys(webhook, secrets),
      secretIds: stored.map((one) => one.id),
    };
    if (before === changes) remember(digest, receiver);
    return receiver;
  };

  return {
    /** Null if nothing is received there. Throws if the database is unavailable and the address isn't known. */
    async find(provider: string, address: string): Promise<Receiver | null> {
      if (!ADDRESS.test(address)) return null;
      const digest = digestOf(address);
      const entry = known.get(digest);
      const isOurs = entry?.receiver.provider === provider;
      if (isOurs && Math.abs(clock.now() - entry.at) < FRESH_MS) return entry.receiver;
      try {
        return await flights.run(`${changes} ${provider} ${digest}`, () => look(provider, address, digest));
      } catch (error) {
        if (isOurs && error instanceof DatabaseUnavailable) return entry.receiver;
        throw error;
      }
    },
    /** Forgets all addresses, because one has changed, and what it was must not count again. */
    forget(): void {
      changes++;
      known.clear();
    },
  };
};

export type TeamReceivers = ReturnType<typeof createTeamReceivers>;
