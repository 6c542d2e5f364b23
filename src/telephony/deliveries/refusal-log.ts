import { createRateLimit } from '../../http/index.ts';
import type { Account } from '../accounts/account.ts';
import { addRefusals, type RefusalCount } from '../accounts/refusal-store.ts';
import type { Switchboard } from '../accounts/switchboard.ts';
import type { TelephonyContext } from '../contract/context.ts';
import type { Delivery } from '../contract/delivery.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import { diagnoseRefusal, type RefusalReason } from './diagnose-refusal.ts';

const FLUSH_MS = 1_000;
/** Diagnosing a refusal costs a dozen signatures, so a flood is only counted. */
const DIAGNOSES_PER_MINUTE = 30;
const MOST_PENDING = 1_000;

type Pending = RefusalCount & { account: Account };

/** Counts refused requests with a reason an admin can act on. Written once a second, not per request. */
export const createRefusalLog = (context: TelephonyContext & { switchboard: Switchboard }) => {
  const { database, clock, log, url, switchboard } = context;
  const diagnoses = createRateLimit({ clock, perMinute: DIAGNOSES_PER_MINUTE });
  let pending = new Map<string, Pending>();

  const writePending = async (): Promise<void> => {
    const writing = pending;
    pending = new Map();
    for (const { account, ...refusal } of writing.values())
      await addRefusals(database, account.teamId, account.id, refusal).catch((err) =>
        log.warn({ err, account: account.id }, 'refused deliveries could not be counted'),
      );
  };
  let flushing = Promise.resolve();
  /** Also waits for what is being written already. */
  const flush = (): Promise<void> => {
    flushing = flushing.then(writePending);
    return flushing;
  };
  const timer = setInterval(() => void flush(), FLUSH_MS).unref();

  return {
    add(provider: TelephonyProvider, delivery: Delivery, account: Account, reason: RefusalReason): void {
      const now = clock.now();
      const hint =
        diagnoses.take(account.id) === 0
          ? diagnoseRefusal(provider, delivery, reason, {
              account,
              neighbours: switchboard.listNeighbours(account),
              context: { publicUrl: url, now },
            })
          : 'too many requests to check each one';
      const key = `${account.id} ${reason} ${hint}`;
      const known = pending.get(key);
      if (!known && pending.size >= MOST_PENDING) return;
      const { count = 0, firstAt = now } = known ?? {};
      pending.set(key, { account, reason, hint, count: count + 1, firstAt, lastAt: now });
    },
    flush,
    async close(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
};

export type RefusalLog = ReturnType<typeof createRefusalLog>;
