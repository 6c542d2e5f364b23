import { createRateLimit, createTurns, workFor } from '../../platform/index.ts';
import type { TelephonyAccount } from '../accounts/account.ts';
import { addRefusals, PIECE_MS, type RefusalCount } from '../accounts/refusal-store.ts';
import type { Switchboard } from '../accounts/switchboard.ts';
import type { TelephonyContext } from '../context.ts';
import type { Delivery } from '../contract/delivery.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import { isLight, weigh } from './delivery-weight.ts';
import { diagnoseRefusal, REASONS, type RefusalReason } from './diagnose-refusal.ts';

const FLUSH_MS = 1_000;
/**
 * How many refusals are diagnosed. A diagnosis costs hundreds of signatures, so the rest of a flood is only counted.
 */
const DIAGNOSES_PER_MINUTE = { account: 30, team: 60 } as const;
const MOST_WAITING = 100;
const MOST_PENDING = 1_000;
/**
 * How many different hints are kept for an account per `PIECE_MS`. A sender who knows the secret can make up hosts, and
 * each host makes another hint.
 */
const MOST_HINTS = 10;

const UNCHECKED = {
  large: 'too large to check which change would make it valid',
  many: 'too many requests to check each one',
  varied: 'too many different causes to list each one',
} as const;

type Pending = RefusalCount & { account: TelephonyAccount };

/**
 * Counts refused requests, with a reason that an admin can act on. Counts are written once a second, not per request.
 * The reason is found after the response: one diagnosis at a time, and teams take turns.
 */
export const createRefusalLog = (context: TelephonyContext & { switchboard: Switchboard }) => {
  const { database, clock, log, url, switchboard } = context;
  const ofAccounts = createRateLimit({ clock, perMinute: DIAGNOSES_PER_MINUTE.account });
  const ofTeams = createRateLimit({ clock, perMinute: DIAGNOSES_PER_MINUTE.team });
  const turns = createTurns({ atOnce: 1 });
  const diagnosing = new Set<Promise<void>>();
  let pending = new Map<string, Pending>();
  let hints = { piece: 0, ofAccounts: new Map<string, Set<string>>() };
  let isClosing = false;

  const writePending = async (): Promise<void> => {
    const writing = pending;
    pending = new Map();
    for (const { account, ...refusal } of writing.values())
      await addRefusals(database, account.teamId, account.id, refusal).catch((err) =>
        log.warn({ err, account: account.id }, 'refused deliveries could not be counted'),
      );
  };
  let writing = Promise.resolve();
  /** Writes pending counts once the write in progress is done. */
  const write = (): Promise<void> => {
    writing = writing.then(writePending);
    return writing;
  };
  const timer = setInterval(() => void write(), FLUSH_MS).unref();
  const flush = async (): Promise<void> => {
    await Promise.all(diagnosing);
    await write();
  };

  const boundHint = (accountId: string, hint: string, now: number): string => {
    const piece = Math.floor(now / PIECE_MS);
    if (piece !== hints.piece) hints = { piece, ofAccounts: new Map() };
    const known = hints.ofAccounts.get(accountId) ?? new Set();
    hints.ofAccounts.set(accountId, known);
    if (known.size < MOST_HINTS) known.add(hint);
    return known.has(hint) ? hint : UNCHECKED.varied;
  };

  const count = (account: TelephonyAccount, reason: RefusalReason, cause: string, now: number): void => {
    const hint = boundHint(account.id, cause, now);
    const key = `${account.id} ${reason} ${hint}`;
    const known = pending.get(key);
    if (!known && pending.size >= MOST_PENDING) return;
    const { count = 0, firstAt = now } = known ?? {};
    pending.set(key, { account, reason, hint, count: count + 1, firstAt, lastAt: now });
  };

  const diagnoseNow = async (
    provider: TelephonyProvider,
    delivery: Delivery,
    account: TelephonyAccount,
    now: number,
  ) => {
    try {
      // Closing doesn't wait for diagnoses. After a flood, there may be many.
      if (isClosing) return count(account, 'bad_signature', UNCHECKED.many, now);
      const suspects = { account, neighbours: switchboard.listNeighbours(account), context: { publicUrl: url, now } };
      count(account, 'bad_signature', await diagnoseRefusal(context, provider, delivery, suspects), now);
    } catch (err) {
      log.error({ err, account: account.id }, 'a refused delivery could not be diagnosed');
    }
  };
  const diagnose = (provider: TelephonyProvider, delivery: Delivery, account: TelephonyAccount, now: number): void => {
    const { teamId } = account;
    const work = workFor(teamId, () =>
      turns.run({ owner: teamId }, () => diagnoseNow(provider, delivery, account, now)),
    );
    diagnosing.add(work);
    void work.then(() => diagnosing.delete(work));
  };

  /** Returns why a refusal isn't diagnosed, or null if it is. */
  const excuse = (delivery: Delivery, { id, teamId }: TelephonyAccount): string | null => {
    if (!isLight(weigh(delivery))) return UNCHECKED.large;
    const isInBudget = turns.waiting < MOST_WAITING && ofAccounts.take(id) === 0 && ofTeams.take(teamId) === 0;
    return isInBudget ? null : UNCHECKED.many;
  };

  return {
    add(provider: TelephonyProvider, delivery: Delivery, account: TelephonyAccount, reason: RefusalReason): void {
      const now = clock.now();
      const known = reason === 'bad_signature' ? excuse(delivery, account) : REASONS[reason];
      if (known === null) diagnose(provider, delivery, account, now);
      else count(account, reason, known, now);
    },
    /** Writes all refusals added so far, with their diagnoses. */
    flush,
    async close(): Promise<void> {
      isClosing = true;
      clearInterval(timer);
      await flush();
    },
  };
};

export type RefusalLog = ReturnType<typeof createRefusalLog>;
