import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf, randomSecret } from '../platform/index.ts';
import type { AuditActor } from '../teams/index.ts';
import type { Asked } from './ask-provider.ts';
import { type Attempt, claimAttempt, getAttempt, insertAttempt } from './attempt-store.ts';
import { findProvider, redirectUriOf } from './begin-connect.ts';
import { type CallbackParams, checkIssuer, readCode } from './callback-params.ts';
import { type ConnectState, openState } from './connect-state.ts';
import { consentRefused, stateMissing, stateUsed } from './errors.ts';
import {
  exchangeOnce,
  type FinishDependencies,
  type Finished,
  failed,
  type Outcome,
  type Parked,
  sealParked,
} from './finish-attempt.ts';
import { toShowableCode } from './provider-failure.ts';

export type Arrival = {
  provider: string;
  params: CallbackParams;
  /** Digest of the binding cookie that the browser carries. */
  binding: string | null;
  caller: { userId: string; teamId: string } | null;
};

const WAIT_MS = 100;
const MOST_WAIT_MS = 12_000;

const isProved = ({ binding, userId, teamId }: ConnectState, arrival: Arrival): boolean =>
  (binding !== null && binding === arrival.binding) ||
  (arrival.caller?.userId === userId && arrival.caller.teamId === teamId);

/**
 * The state has been brought back before: no second exchange. Whoever proves to have begun it learns what came of it. If
 * it was parked by somebody without proof, it is finished now, with the code that came with the proof and not with theirs.
 */
const repeatOutcome = async (
  dependencies: FinishDependencies,
  { teamId, stateDigest }: Pick<Attempt, 'teamId' | 'stateDigest'>,
  brought: Parked | null,
  actor: AuditActor,
): Promise<Outcome> => {
  const { database } = dependencies;
  const giveUpAt = performance.now() + MOST_WAIT_MS;
  for (;;) {
    const attempt = await getAttempt(database, teamId, stateDigest);
    if (attempt?.outcome) return JSON.parse(attempt.outcome);
    if (brought && attempt?.phase === 'parked' && (await claimAttempt(database, teamId, stateDigest)) > 0)
      return exchangeOnce(dependencies, attempt, brought, actor);
    if (!attempt || (!brought && attempt.phase === 'parked') || performance.now() > giveUpAt) throw stateUsed();
    await sleep(WAIT_MS);
  }
};

/** What the browser has brought, before anything is spent on it. */
const toParked = (state: ConnectState, params: CallbackParams, record: Asked['record']): Parked => {
  readCode(record, params);
  checkIssuer(record, params);
  const { verifier, scopes, returnTo } = state;
  return {
    verifier,
    scopes,
    returnTo,
    params: state.params,
    callback: [...params].filter(([, value]) => value !== ''),
  };
};

export type Finishing = { finished: Finished; returnTo: string | null; startedBy: { teamId: string; userId: string } };

/** Handles a provider's callback. The order matters: state, single use, proof, and only then the token request. */
export const finishConnect = async (
  dependencies: FinishDependencies,
  arrival: Arrival,
  actor: AuditActor,
): Promise<Finishing> => {
  const { catalogue, discover, database, vault, clock, url } = dependencies;
  const { provider: providerId, params } = arrival;
  const provider = findProvider(catalogue, providerId);
  const { record } = await discover(provider);
  const sealed = params.get(record.callback?.stateParam ?? 'state');
  if (!sealed) throw stateMissing();
  const now = clock.now();
  const state = openState(vault, redirectUriOf(url, providerId), sealed, now);
  const { teamId, userId, returnTo, expiresAt } = state;
  const proved = isProved(state, arrival);
  const stateDigest = digestOf(state.nonce);
  const startedBy = { teamId, userId };
  const base = {
    stateDigest,
    teamId,
    userId,
    provider: providerId,
    attemptDigest: null,
    callback: null,
    outcome: null,
  };
  const times = { createdAt: now, expiresAt };

  const error = params.get('error');
  if (error !== undefined) {
    checkIssuer(record, params);
    const outcome = failed(consentRefused(toShowableCode(error) ?? 'unnamed'));
    const fresh = await insertAttempt(database, { ...base, ...times, phase: 'done', outcome: JSON.stringify(outcome) });
    if (fresh > 0) return { finished: outcome, returnTo, startedBy };
    if (!proved) throw stateUsed();
    return { finished: await repeatOutcome(dependencies, base, null, actor), returnTo, startedBy };
  }

  const parked = toParked(state, params, record);
  if (proved) {
    const fresh = await insertAttempt(database, { ...base, ...times, phase: 'exchanging' });
    const finished =
      fresh > 0
        ? await exchangeOnce(dependencies, base, parked, actor)
        : await repeatOutcome(dependencies, base, parked, actor);
    return { finished, returnTo, startedBy };
  }

  const attempt = randomSecret();
  const callback = await sealParked(dependencies, base, parked);
  const fresh = await insertAttempt(database, {
    ...base,
    ...times,
    phase: 'parked',
    attemptDigest: digestOf(attempt),
    callback,
  });
  if (fresh === 0) throw stateUsed();
  return { finished: { outcome: 'confirm', attempt }, returnTo, startedBy };
};
