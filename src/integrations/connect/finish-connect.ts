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
import { beginningOf, type ConnectState, openState } from './connect-state.ts';
import { type Brought, type BroughtCode, finishAttempt } from './finish-attempt.ts';
import { type ConnectOutcome, type Finished, failed } from './outcome.ts';
import { park } from './parked.ts';

export type Arrival = {
  provider: string;
  params: CallbackParams;
  /** Digest of the binding cookie that the browser carries. */
  binding: string | null;
  caller: { userId: string; teamId: string } | null;
};

const WAIT_MS = 100;
const MOST_WAIT_MS = 12_000;

/**
 * How many requests with the same state may wait in one process, besides the first. A browser comes back once or twice.
 */
const MOST_WAITING = 100;

const waitsIn = oncePer((_: Database) => createSingleFlight<Finished>());

/** Stands for the user in requests without proof, which must not take the turns of the user who started. */
export const WITHOUT_PROOF = '';

export const isProved = (
  { binding, userId, teamId }: ConnectState,
  arrival: Pick<Arrival, 'binding' | 'caller'>,
): boolean =>
  (binding !== null && binding === arrival.binding) ||
  (arrival.caller?.userId === userId && arrival.caller.teamId === teamId);

/** Waits until an attempt's exchange has ended, or takes too long. Returns the attempt as it is then. */
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
 * Handles a state that has come back before. There's no second exchange: a user who proves that they started gets the
 * stored outcome. If the attempt was parked without proof, it's finished now, with the code that came with the proof
 * and not with the parked one.
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
  // Only one request claims the attempt and exchanges the code. The others wait for its outcome.
  const isOurs = (await claimAttempt(database, teamId, stateDigest)) > 0;
  return isOurs ? finishAttempt(context, attempt, brought, actor) : repeatOutcome(context, known, brought, actor);
};

/** Checks what the browser brought, before anything is spent on it. */
const readBrought = (state: ConnectState, params: CallbackParams, record: FullRecord): BroughtCode => {
  checkIssuer(record, params);
  readCode(record, params);
  const { verifier, scopes, returnTo, connection, replace, sessionId } = state;
  const asked = { scopes, returnTo, params: state.params, connection, replace, sessionId };
  return { ...asked, verifier, callback: [...params] };
};

/** A state that has come back, and who brought it. */
type Arrived = { state: ConnectState; attempt: ConnectAttempt; proved: boolean; actor: AuditActor };

/** The provider refused. Without proof, that is only passed on, because a forged refusal must not end the flow. */
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

/** A refusal about what was brought, not about who brought it. The person sees it where they wanted to return to. */
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
    // Before the state is used up.
    await context.pause.check();
    // Someone who has left the team or signed out since, or who acted in someone else's name, can't connect anything now.
    if (!(await getUserWhoBegan(database, state, beginningOf(state)))) throw stateInvalid();
    return work();
  });
};

/** However often a state comes back at the same time, it takes one turn. */
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

/** Handles a provider's callback. The order matters: state, proof, single use, and only then the token request. */
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
  // The proof shows that the browser belongs to the user who started, whether or not they're signed in here.
  const actor: AuditActor = { ...visitor, kind: 'user', userId };
  const attempt: ConnectAttempt = {
    ...{ stateDigest: digestOf(state.nonce), teamId, userId, provider, phase: 'exchanging' },
    ...{ attemptDigest: null, callback: null, outcome: null, createdAt: now, expiresAt },
  };
  const finished = await finish(context, { state, attempt, proved, actor }, params, record);
  return { finished, returnTo, connection, startedBy: { teamId, userId } };
};
