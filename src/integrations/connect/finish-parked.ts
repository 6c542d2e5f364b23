import { digestOf } from '../../platform/index.ts';
import { type AuditActor, getUserWhoBegan, recordAudit } from '../../teams/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import type { IntegrationsContext } from '../context.ts';
import { attemptExpired, attemptNotYours, attemptUnknown, attemptUsed } from '../errors.ts';
import { connectTurnsIn } from '../requests/connect-turns.ts';
import { type ConnectAttempt, claimAttempt, endAttempt, findParkedAttempt } from './attempt-store.ts';
import { type Brought, finishAttempt } from './finish-attempt.ts';
import { type ConnectOutcome, failed } from './outcome.ts';
import { openParked } from './parked.ts';

const findAttempt = async (
  { catalogue, database }: IntegrationsContext,
  provider: string,
  secret: string,
): Promise<ConnectAttempt> => {
  findProvider(catalogue, provider);
  const attempt = await findParkedAttempt(database, provider, digestOf(secret));
  if (!attempt) throw attemptUnknown();
  return attempt;
};

type Completion = { provider: string; secret: string; caller: { userId: string; teamId: string } };
type Completed = { outcome: ConnectOutcome } & Pick<Brought, 'returnTo' | 'connection'>;

const finishNow = async (
  context: IntegrationsContext,
  { provider, secret, caller }: Completion,
  actor: AuditActor,
): Promise<Completed> => {
  const { database, vault, clock } = context;
  const attempt = await findAttempt(context, provider, secret);
  const { teamId, userId, stateDigest, phase, expiresAt } = attempt;
  const ofTeam = caller.teamId === teamId;
  if (phase !== 'parked') throw ofTeam ? attemptUsed() : attemptUnknown();
  if (expiresAt <= clock.now()) throw ofTeam ? attemptExpired() : attemptUnknown();
  await context.pause.check();
  const parked = await openParked(vault, attempt);
  if ((await claimAttempt(database, teamId, stateDigest)) === 0) throw ofTeam ? attemptUsed() : attemptUnknown();
  if (!ofTeam || caller.userId !== userId) {
    const refusal = attemptNotYours();
    // If the attempt belongs to another team, that team's audit log must not reveal the caller.
    const who = ofTeam ? actor : { ...actor, userId: null, address: null, requestId: null };
    await recordAudit(context, database, teamId, who, { action: 'integration.attempt.refused', target: provider });
    await endAttempt(database, teamId, stateDigest, JSON.stringify(failed(refusal)));
    throw ofTeam ? refusal : attemptUnknown();
  }
  // Same check as at the callback: the session or token may have ended since, or someone else may have started the
  // connect in the user's name.
  if (!(await getUserWhoBegan(database, attempt, parked.begun, clock.now()))) {
    await endAttempt(database, teamId, stateDigest, JSON.stringify(failed(attemptExpired())));
    throw attemptExpired();
  }
  const { returnTo, connection } = parked;
  return { outcome: await finishAttempt(context, attempt, parked, actor), returnTo, connection };
};

/** Finishes a parked attempt for the user who started it. If anyone else tries to, the attempt ends. */
export const finishParked = (
  context: IntegrationsContext,
  completion: Completion,
  actor: AuditActor,
): Promise<Completed> =>
  connectTurnsIn(context.database)(completion.caller, () => finishNow(context, completion, actor));

/** Returns who started a parked attempt, for the page where that person finishes it. */
export const getStarter = async (
  context: IntegrationsContext,
  provider: string,
  secret: string,
): Promise<{ teamId: string; userId: string }> => {
  const attempt = await findAttempt(context, provider, secret);
  if (attempt.phase !== 'parked') throw attemptUsed();
  if (attempt.expiresAt <= context.clock.now()) throw attemptExpired();
  return attempt;
};
