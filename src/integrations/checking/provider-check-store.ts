import type { Queries } from '../../platform/index.ts';
import type { CheckStep } from './check-step.ts';

/** Identifies a check: the provider, and the team that may see the check. With `ALL_TEAMS`, every team may see it. */
type CheckKey = { teamId: string; provider: string };

/** Replaces the team's ID if neither a team's client nor entered params were used. Then all teams see the check. */
export const ALL_TEAMS = '';

type ProviderCheck = { endedAt: number; steps: Pick<CheckStep, 'name' | 'state' | 'detail'>[] };

/** Begins a check. False if the last check began too recently. Of several simultaneous calls, only one returns true. */
export const beginCheck = async (
  queries: Queries,
  { teamId, provider }: CheckKey,
  { now, notSince }: { now: number; notSince: number },
): Promise<boolean> =>
  (await queries.run(
    `insert into provider_checks (team_id, provider, begun_at) values ($1, $2, $3)
      on conflict (team_id, provider) do update set begun_at = excluded.begun_at
        where provider_checks.begun_at <= $4 or provider_checks.begun_at > excluded.begun_at`,
    [teamId, provider, now, notSince],
  )) > 0;

export const endCheck = (
  queries: Queries,
  { teamId, provider }: CheckKey,
  { endedAt, steps }: ProviderCheck,
): Promise<number> =>
  queries.run('update provider_checks set ended_at = $3, steps = $4 where team_id = $1 and provider = $2', [
    ...[teamId, provider, endedAt, JSON.stringify(steps)],
  ]);

/** Finds the newest finished check that the team may see. */
export const findCheck = async (queries: Queries, { teamId, provider }: CheckKey): Promise<ProviderCheck | null> => {
  const row = await queries.get<{ endedAt: number; steps: string }>(
    `select ended_at as "endedAt", steps from provider_checks
      where team_id in ($1, $2) and provider = $3 and ended_at is not null order by ended_at desc limit 1`,
    [teamId, ALL_TEAMS, provider],
  );
  return row ? { ...row, steps: JSON.parse(row.steps) } : null;
};

export const deleteChecksOfTeam = (queries: Queries, teamId: string): Promise<number> =>
  queries.run('delete from provider_checks where team_id = $1', [teamId]);
