import { digestOf } from '../../platform/index.ts';
import { type AuditActor, getUserWhoBegan } from '../../teams/index.ts';
import { findKeyProvider } from '../catalogue/catalogue.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { type ConnectAttempt, getAttempt, insertAttempt } from '../connect/attempt-store.ts';
import { beginningOf, type ConnectState, openState } from '../connect/connect-state.ts';
import { type BroughtKey, finishAttempt } from '../connect/finish-attempt.ts';
import { type Arrival, type Finishing, isProved, repeatOutcome, WITHOUT_PROOF } from '../connect/finish-connect.ts';
import type { Finished } from '../connect/outcome.ts';
import { park } from '../connect/parked.ts';
import { getConnection } from '../connections/connection-store.ts';
import { refuseWithoutRoom } from '../connections/find-connection.ts';
import type { IntegrationsContext } from '../context.ts';
import { stateInvalid } from '../errors.ts';
import { acceptKey, checkKey, type EnteredKey } from '../keys/accept-key.ts';
import { holdsKey } from '../keys/connection-key.ts';
import { formUsed } from '../keys/errors.ts';
import { type Trier, takeTry } from '../keys/key-tries.ts';
import { connectTurnsIn } from '../requests/connect-turns.ts';

/** Opens the state of a form, as long as the form can be used. */
export const openForm = async (
  { database, vault, clock, url }: IntegrationsContext,
  provider: string,
  sealed: string,
): Promise<ConnectState> => {
  const state = openState(vault, redirectUriOf(url, provider), sealed, clock.now());
  // Someone who has left the team or signed out since, or who acted in someone else's name, can't connect anything now.
  if (!(await getUserWhoBegan(database, state, beginningOf(state)))) throw stateInvalid();
  return state;
};

/** Refuses a form that was used. If its key was parked without proof, someone with proof can still replace it. */
export const refuseUsedForm = async (
  { database }: Pick<IntegrationsContext, 'database'>,
  state: ConnectState,
  visit: Pick<Arrival, 'binding' | 'caller'>,
): Promise<void> => {
  const known = await getAttempt(database, state.teamId, digestOf(state.nonce));
  if (known && (known.phase !== 'parked' || !isProved(state, visit))) throw formUsed();
};

type Submission = Pick<Arrival, 'provider' | 'binding' | 'caller'> & { state: string; entered: EnteredKey };

/**
 * Takes a key from the form. As at a callback, only the user who started can connect something. Without their proof,
 * the key is parked once the provider has accepted it. Until then, the form can be submitted again.
 */
export const submitKey = async (
  context: IntegrationsContext,
  { provider: id, state: sealed, entered, binding, caller }: Submission,
  visitor: AuditActor,
): Promise<Finishing> => {
  const { database, vault, catalogue, clock } = context;
  const provider = findKeyProvider(catalogue, id);
  const state = await openForm(context, id, sealed);
  const { teamId, userId, scopes, returnTo, params, connection, replace, sessionId, expiresAt } = state;
  const checked = checkKey(provider, { ...entered, params: { ...params, ...entered.params } });
  const proved = isProved(state, { binding, caller });
  const trier: Trier = { teamId, userId: proved ? userId : null };
  const actor: AuditActor = { ...visitor, kind: 'user', userId };
  const attempt: ConnectAttempt = {
    ...{ stateDigest: digestOf(state.nonce), teamId, userId, provider: id, phase: 'exchanging' },
    ...{ attemptDigest: null, callback: null, outcome: null, createdAt: clock.now(), expiresAt },
  };

  /** Whoever went back and entered another key must not hear that it's connected. */
  const repeat = async (brought: BroughtKey | null): Promise<Finished> => {
    const outcome = await repeatOutcome(context, attempt, brought, actor);
    const held = await getConnection(database, { teamId, provider: id, name: connection });
    const isSame = held !== undefined && (await holdsKey(vault, held, checked));
    if (outcome.outcome === 'connected' && !isSame) throw formUsed();
    return outcome;
  };

  const finish = async (): Promise<Finished> => {
    // Checked before the provider is asked: a used form must not tell which keys work.
    const known = await getAttempt(database, teamId, attempt.stateDigest);
    if (known && !proved) throw formUsed();
    if (known && known.phase !== 'parked') {
      // Someone else may have stored another key under this name since. A used form must not help to guess that key.
      const giveBack = takeTry(clock, trier);
      const repeated = await repeat(null);
      giveBack();
      return repeated;
    }
    await refuseWithoutRoom(context, { teamId, provider: id, name: connection });
    const key = await acceptKey(context, provider, checked, trier);
    const brought: BroughtKey = { scopes, returnTo, params, connection, replace, sessionId, key };
    if (!proved) return park(context, attempt, brought);
    const isFirst = (await insertAttempt(database, attempt)) > 0;
    return isFirst ? finishAttempt(context, attempt, brought, actor) : repeat(brought);
  };

  const finished = await connectTurnsIn(database)({ teamId, userId: proved ? userId : WITHOUT_PROOF }, finish);
  return { finished, returnTo, connection, startedBy: { teamId, userId } };
};
