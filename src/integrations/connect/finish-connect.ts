import { setTimeout as sleep } from 'node:timers/promises';
import { createSingleFlight, type Database, digestOf, oncePer, Refusal, stepAside } from '../../platform/index.ts';
import { type AuditActor, getUserWhoBegan } from '../../teams/index.ts';
import { findOauthProvider } from '../catalogue/catalogue.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import { toShowableCode } from '../catalogue/provider-failure.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import type { IntegrationsContext } from '../context.ts';
import { consentRefused, stateInvalid, stateMissing, stateUsed } from '../errors.ts';
import { type CallbackParams, checkIssuer, readCode } from '../requests/callback-params.ts';
import { connectTurnsIn } from '../requests/connect-turns.ts';
import { type ConnectAttempt, claimAttempt, getAttempt, insertAttempt } from './attempt-store.ts';
import { type ConnectState, openState } from './connect-state.ts';
import { type Brought, type BroughtCode, finishAttempt } from './finish-attempt.ts';
import { type ConnectOutcome, type Finished, failed } from './outcome.ts';
import { park } from './parked.ts';

export type Arrival = {
  provider: string;
  params: CallbackParams;
  /** Digest of the browser's binding cookie. */
  binding: string | null;
  caller: { userId: string; teamId: string } | null;
};

const WAIT_MS = 100;
const MOST_WAIT_MS = 12_000;

/**
 * How many requests with the same state may wait in one process, besides the first. A browser usually sends one or two.
 */
const MOST_WAITING = 100;

const waitsIn = oncePer((_: Database) => createSingleFlight<Finished>());

/**
 * Used instead of the user's ID to queue requests that may not come from the user who started the connect, so that they
 * don't use up that user's limit.
 */
export const WITHOUT_PROOF = '';

export const isProved = (
  { binding, userId, teamId }: ConnectState,
  arrival: Pick<Arrival, 'binding' | 'caller'>,
): boolean =>
  (binding !== null && binding === arrival.binding) ||
  (arrival.caller?.userId === userId && arrival.caller.teamId === teamId);

/** Waits until an attempt's exchange has ended, or until it has taken too long. Returns the attempt's current row. */
const waitForExchange = async (
  { database }: Pick<IntegrationsContext, 'database'>,
  { teamId, stateDigest }: Pick<ConnectAttempt, 'teamId' | 'stateDigest'>,
): Promise<ConnectAttempt | undefined> => {
  const giveUpAt = performance.now() + MOST_WAIT_MS;
  for (;;) {
    const attempt = await getAttempt(database, teamId, stateDigest);
    if (attempt?.phase !== 'exchanging' || performance.now() > giveUpAt) return attempt;
    await sleep(WAIT_MS);
  }
};

/**
 * Handles a state that was already used. If its attempt is parked, because the first callback may not have come from
 * the user who started the connect, finishes it with `brought`, which must come from that user. Otherwise returns the
 * stored outcome, without a second exchange.
 */
export const repeatOutcome = async (
  context: IntegrationsContext,
  known: Pick<ConnectAttempt, 'teamId' | 'stateDigest'>,
  brought: Brought | null,
  actor: AuditActor,
): Promise<ConnectOutcome> => {
  const { database } = context;
  const { teamId, stateDigest } = known;
  const attempt = await waitForExchange(context, known);
  if (attempt?.outcome) return JSON.parse(attempt.outcome);
  if (!brought || attempt?.phase !== 'parked') throw stateUsed();
  // If several requests get here, only one claims the attempt and exchanges the code. The others wait for its outcome.
  const isOurs = (await claimAttempt(database, teamId, stateDigest)) > 0;
  return isOurs ? finishAttempt(context, attempt, brought, actor) : repeatOutcome(context, known, brought, actor);
};

/** Checks the callback's params before the state is used up. */
const readBrought = (state: ConnectState, params: CallbackParams, record: FullRecord): BroughtCode => {
  checkIssuer(record, params);
  readCode(record, params);
  const { verifier, scopes, returnTo, connection, replace, begun } = state;
  const asked = { scopes, returnTo, params: state.params, connection, replace, begun };
  return { ...asked, verifier, callback: [...params] };
};

/**
 * A callback with its state. `proved`: it comes from the browser or the session of the user who started the connect.
 */
type Arrived = { state: ConnectState; attempt: ConnectAttempt; proved: boolean; actor: AuditActor };

/**
 * Handles the provider's refusal. Unless `proved`, the refusal isn't stored, because a forged one must not end the
 * attempt.
 */
const takeRefusal = async (
  context: IntegrationsContext,
  { attempt, proved, actor }: Arrived,
  outcome: ConnectOutcome,
): Promise<ConnectOutcome> => {
  const { database } = context;
  if (!proved) {
    if (await getAttempt(database, attempt.teamId, attempt.stateDigest)) throw stateUsed();
    return outcome;
  }
  const done = { ...attempt, phase: 'done' as const, outcome: JSON.stringify(outcome) };
  if ((await insertAttempt(database, done)) > 0) return outcome;
  return repeatOutcome(context, attempt, null, actor);
};

/** Turns a refusal of the callback's params into an outcome, so that the person sees it at the return URL. */
const asOutcome = <Value>(check: () => Value): { value: Value } | { outcome: ConnectOutcome } => {
  try {
    return { value: check() };
  } catch (error) {
    if (error instanceof Refusal) return { outcome: failed(error) };
    throw error;
  }
};

export type Finishing = Pick<ConnectState, 'returnTo' | 'connection'> & {
  finished: Finished;
  startedBy: { teamId: string; userId: string };
};

const inTurn = <Result>(
  context: IntegrationsContext,
  { state, proved }: Pick<Arrived, 'state' | 'proved'>,
  work: () => Result | Promise<Result>,
): Promise<Result> => {
  const { database } = context;
  const { teamId, userId } = state;
  return connectTurnsIn(database)({ teamId, userId: proved ? userId : WITHOUT_PROOF }, async () => {
    // Check for a pause before the state is used up, so that the same callback can be tried again later.
    await context.pause.check();
    // Refused if the user has left the team or signed out since, or if someone else started the connect in the user's
    // name.
    if (!(await getUserWhoBegan(database, state, state.begun, context.clock.now()))) throw stateInvalid();
    return work();
  });
};

/** Lets simultaneous callbacks with the same state share one run, which waits in the queue only once. */
const together = (database: Database, key: string, begin: () => Promise<Finished>): Promise<Finished> => {
  const waits = waitsIn(database);
  if (waits.countCallers(key) > MOST_WAITING) throw stateUsed();
  stepAside();
  return waits.run(key, begin);
};

const exchangeOnce = async (
  context: IntegrationsContext,
  { attempt, actor }: Arrived,
  brought: BroughtCode,
): Promise<ConnectOutcome> => {
  const isFirst = (await insertAttempt(context.database, attempt)) > 0;
  if (isFirst) return finishAttempt(context, attempt, brought, actor);
  return repeatOutcome(context, attempt, brought, actor);
};

const finishProved = (context: IntegrationsContext, arrived: Arrived, brought: BroughtCode): Promise<Finished> =>
  together(context.database, arrived.attempt.stateDigest, () =>
    inTurn(context, arrived, () => exchangeOnce(context, arrived, brought)),
  );

const finishUnproved = async (
  context: IntegrationsContext,
  arrived: Arrived,
  brought: BroughtCode,
): Promise<Finished> => {
  const { attempt } = arrived;
  let isFirst = false;
  const parked = await together(context.database, `${attempt.stateDigest} parked`, () => {
    isFirst = true;
    return inTurn(context, arrived, () => park(context, attempt, brought));
  });
  if (!isFirst) throw stateUsed();
  return parked;
};

const finish = async (
  context: IntegrationsContext,
  arrived: Arrived,
  params: CallbackParams,
  record: FullRecord,
): Promise<Finished> => {
  const { state, proved } = arrived;
  const error = params.get('error');
  if (error !== undefined) {
    const refusal = asOutcome(() => checkIssuer(record, params));
    const declined = failed(consentRefused(toShowableCode(error) ?? 'unnamed'));
    if ('outcome' in refusal) return inTurn(context, arrived, () => refusal.outcome);
    return inTurn(context, arrived, () => takeRefusal(context, arrived, declined));
  }
  const brought = asOutcome(() => readBrought(state, params, record));
  if ('outcome' in brought) return inTurn(context, arrived, () => brought.outcome);
  if (proved) return finishProved(context, arrived, brought.value);
  return finishUnproved(context, arrived, brought.value);
};

/**
 * Handles a provider's callback. The order matters: check the state, check who brings it, use the state up, and only
 * then request tokens.
 */
export const finishConnect = async (
  context: IntegrationsContext,
  arrival: Arrival,
  visitor: AuditActor,
): Promise<Finishing> => {
  const { catalogue, discover, vault, clock, url } = context;
  const { provider, params } = arrival;
  const known = findOauthProvider(catalogue, provider);
  const { record } = await discover(known);
  const sealed = params.get(record.callback?.stateParam ?? 'state');
  if (!sealed) throw stateMissing();
  const now = clock.now();
  const state = openState(vault, redirectUriOf(url, provider), sealed, now);
  const { teamId, userId, returnTo, connection, expiresAt } = state;
  const proved = isProved(state, arrival);
  // Used only if `proved`. Then the callback comes from the user who started the connect, even if nobody is signed in.
  const actor: AuditActor = { ...visitor, kind: 'user', userId };
  const attempt: ConnectAttempt = {
    ...{ stateDigest: digestOf(state.nonce), teamId, userId, provider, phase: 'exchanging' },
    ...{ attemptDigest: null, callback: null, outcome: null, createdAt: now, expiresAt },
  };
  const finished = await finish(context, { state, attempt, proved, actor }, params, record);
  return { finished, returnTo, connection, startedBy: { teamId, userId } };
};
