import { digestOf } from '../../platform/index.ts';
import { type AuditActor, getUserWhoBegan } from '../../teams/index.ts';
import { findKeyProvider } from '../catalogue/catalogue.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { type ConnectAttempt, getAttempt, insertAttempt } from '../connect/attempt-store.ts';
import { type ConnectState, openState } from '../connect/connect-state.ts';
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

/** Opens the state of a form that can still be used. */
export const openForm = async (
  { database, vault, clock, url }: IntegrationsContext,
  provider: string,
  sealed: string,
): Promise<ConnectState> => {
  const state = openState(vault, redirectUriOf(url, provider), sealed, clock.now());
  // Refused if the user has left the team since, if their session or token has ended, or if someone else started the
  // connect in the user's name.
  if (!(await getUserWhoBegan(database, state, state.begun, clock.now()))) throw stateInvalid();
  return state;
};

/**
 * Refuses a form that was already used. If someone else used it, so that the key was only parked, the user who started
 * the connect can still use it.
 */
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
 * Takes a key from the form. As at a callback, only the user who started the connect can finish it. If anyone else
 * enters a key, it's parked after the provider has accepted it. A key that isn't accepted doesn't use the form up.
 */
export const submitKey = async (
  context: IntegrationsContext,
  { provider: id, state: sealed, entered, binding, caller }: Submission,
  visitor: AuditActor,
): Promise<Finishing> => {
  const { database, vault, catalogue, clock } = context;
  const provider = findKeyProvider(catalogue, id);
  const state = await openForm(context, id, sealed);
  const { teamId, userId, scopes, returnTo, params, connection, replace, begun, expiresAt } = state;
  const checked = checkKey(provider, { ...entered, params: { ...params, ...entered.params } });
  const proved = isProved(state, { binding, caller });
  const trier: Trier = { teamId, userId: proved ? userId : null };
  const actor: AuditActor = { ...visitor, kind: 'user', userId };
  const attempt: ConnectAttempt = {
    ...{ stateDigest: digestOf(state.nonce), teamId, userId, provider: id, phase: 'exchanging' },
    ...{ attemptDigest: null, callback: null, outcome: null, createdAt: clock.now(), expiresAt },
  };

  /** Returns the outcome of the form's first use. Refuses a different key, because "connected" isn't true for it. */
  const repeat = async (brought: BroughtKey | null): Promise<Finished> => {
    const outcome = await repeatOutcome(context, attempt, brought, actor);
    const held = await getConnection(database, { teamId, provider: id, name: connection });
    const isSame = held !== undefined && (await holdsKey(vault, held, checked));
    if (outcome.outcome === 'connected' && !isSame) throw formUsed();
    return outcome;
  };

  const finish = async (): Promise<Finished> => {
    // Check this before contacting the provider, so that a used form can't be used to find out which keys work.
    const known = await getAttempt(database, teamId, attempt.stateDigest);
    if (known && !proved) throw formUsed();
    if (known && known.phase !== 'parked') {
      // `repeat` compares the entered key with the stored one, which may be someone else's by now. Limit tries, so that
      // a used form doesn't help to guess that key.
      const giveBack = takeTry(clock, trier);
      const repeated = await repeat(null);
      giveBack();
      return repeated;
    }
    await refuseWithoutRoom(context, { teamId, provider: id, name: connection });
    const key = await acceptKey(context, provider, checked, trier);
    const brought: BroughtKey = { scopes, returnTo, params, connection, replace, begun, key };
    if (!proved) return park(context, attempt, brought);
    const isFirst = (await insertAttempt(database, attempt)) > 0;
    return isFirst ? finishAttempt(context, attempt, brought, actor) : repeat(brought);
  };

  const finished = await connectTurnsIn(database)({ teamId, userId: proved ? userId : WITHOUT_PROOF }, finish);
  return { finished, returnTo, connection, startedBy: { teamId, userId } };
};
