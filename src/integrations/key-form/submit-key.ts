import { digestOf } from '../../platform/index.ts';
import { type AuditActor, getUserWhoBegan } from '../../teams/index.ts';
import { findKeyProvider } from '../catalogue/catalogue.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { type Attempt, getAttempt, insertAttempt } from '../connect/attempt-store.ts';
import { type ConnectState, openState, STATE_LIFETIME_MS } from '../connect/connect-state.ts';
import { finishAttempt } from '../connect/finish-attempt.ts';
import {
  type Arrival,
  type Finishing,
  isProved,
  park,
  repeatOutcome,
  WITHOUT_PROOF,
} from '../connect/finish-connect.ts';
import type { Finished } from '../connect/outcome.ts';
import type { ParkedKey } from '../connect/parked.ts';
import { findHolder } from '../connections/find-connection.ts';
import { stateInvalid, stateUsed } from '../errors.ts';
import { acceptKey, checkKey, type EnteredKey } from '../keys/accept-key.ts';
import { turnsIn } from '../requests/connect-turns.ts';

/** The state of a form that someone has opened, as long as it can be used. */
export const openForm = async (
  { database, vault, clock, url }: IntegrationsContext,
  provider: string,
  sealed: string,
): Promise<ConnectState> => {
  const state = openState(vault, redirectUriOf(url, provider), sealed, clock.now());
  // Someone who has left the team since, or who acted in someone else's name, can no longer connect anything to it.
  if (!(await getUserWhoBegan(database, state, state.expiresAt - STATE_LIFETIME_MS))) throw stateInvalid();
  return state;
};

type Submission = Pick<Arrival, 'provider' | 'binding' | 'caller'> & { state: string; entered: EnteredKey };

/**
 * Takes a key from the form. As at a callback, only the user who started can connect something, so without their proof
 * the key is parked once the provider has accepted it. Until then, the form can be submitted again.
 */
export const submitKey = async (
  context: IntegrationsContext,
  { provider: id, state: sealed, entered, binding, caller }: Submission,
  visitor: AuditActor,
): Promise<Finishing> => {
  const { database, catalogue, clock } = context;
  const provider = findKeyProvider(catalogue, id);
  const state = await openForm(context, id, sealed);
  const { teamId, userId, scopes, returnTo, params, connection, replace, expiresAt } = state;
  const checked = checkKey(provider, { ...entered, params: { ...params, ...entered.params } });
  const proved = isProved(state, { binding, caller });
  const actor: AuditActor = { ...visitor, kind: 'user', userId };
  const attempt: Attempt = {
    ...{ stateDigest: digestOf(state.nonce), teamId, userId, provider: id, phase: 'exchanging' },
    ...{ attemptDigest: null, callback: null, outcome: null, createdAt: clock.now(), expiresAt },
  };

  const finish = async (): Promise<Finished> => {
    // Before the provider is asked: a form that was used must not tell which keys work.
    const known = await getAttempt(database, teamId, attempt.stateDigest);
    if (known && !proved) throw stateUsed();
    if (known && known.phase !== 'parked') return repeatOutcome(context, attempt, null, actor);
    await findHolder(context, { teamId, provider: id, name: connection });
    const key = await acceptKey(context, provider, checked);
    const brought: ParkedKey = { scopes, returnTo, params, connection, replace, key };
    if (!proved) return park(context, attempt, brought);
    const isFirst = (await insertAttempt(database, attempt)) > 0;
    return (isFirst ? finishAttempt : repeatOutcome)(context, attempt, brought, actor);
  };

  const finished = await turnsIn(database)({ teamId, userId: proved ? userId : WITHOUT_PROOF }, finish);
  return { finished, returnTo, connection, startedBy: { teamId, userId } };
};
