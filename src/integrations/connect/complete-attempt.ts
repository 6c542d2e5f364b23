import { digestOf } from '../../platform/index.ts';
import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { findProvider } from '../catalogue/find-provider.ts';
import { attemptExpired, attemptNotYours, attemptUnknown, attemptUsed } from '../errors.ts';
import { claimAttempt, endAttempt, findParkedAttempt } from './attempt-store.ts';
import { exchangeOnce, type FinishDependencies, failed, type Outcome, openParked } from './finish-attempt.ts';

/** Finishes what a callback parked, once, for the user who started. Anyone else with the attempt ends it. */
export const completeAttempt = async (
  dependencies: FinishDependencies,
  {
    provider,
    attempt: secret,
    caller,
  }: { provider: string; attempt: string; caller: { userId: string; teamId: string } },
  actor: AuditActor,
): Promise<{ outcome: Outcome; returnTo: string | null }> => {
  const { catalogue, database, clock } = dependencies;
  findProvider(catalogue, provider);
  const attempt = await findParkedAttempt(database, provider, digestOf(secret));
  if (!attempt) throw attemptUnknown();
  const { teamId, userId, stateDigest, phase, expiresAt } = attempt;
  const ofTeam = caller.teamId === teamId;
  if (phase !== 'parked') throw ofTeam ? attemptUsed() : attemptUnknown();
  if (expiresAt <= clock.now()) throw ofTeam ? attemptExpired() : attemptUnknown();
  const parked = await openParked(dependencies, attempt);
  if ((await claimAttempt(database, teamId, stateDigest)) === 0) throw ofTeam ? attemptUsed() : attemptUnknown();
  if (!ofTeam || caller.userId !== userId) {
    const refusal = attemptNotYours();
    await recordAudit(dependencies, database, teamId, actor, {
      action: 'integration.attempt.refused',
      target: provider,
    });
    await endAttempt(database, teamId, stateDigest, JSON.stringify(failed(refusal)));
    throw ofTeam ? refusal : attemptUnknown();
  }
  return { outcome: await exchangeOnce(dependencies, attempt, parked, actor), returnTo: parked.returnTo };
};

/** Who started this parked attempt, for the page that asks them to finish. */
export const getStarter = async (
  { database, catalogue, clock }: Pick<FinishDependencies, 'database' | 'catalogue' | 'clock'>,
  provider: string,
  secret: string,
): Promise<{ teamId: string; userId: string }> => {
  findProvider(catalogue, provider);
  const attempt = await findParkedAttempt(database, provider, digestOf(secret));
  if (!attempt) throw attemptUnknown();
  if (attempt.phase !== 'parked') throw attemptUsed();
  if (attempt.expiresAt <= clock.now()) throw attemptExpired();
  return attempt;
};
