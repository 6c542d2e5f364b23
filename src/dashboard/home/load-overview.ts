import { toIso } from '../../platform/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';

/** As many calls as are seen at a glance. */
const FEW = 6;
/** Whoever has waited for longer than this is in the report of their week. */
const WAITING_WITHIN_MS = 7 * 24 * 3_600_000;

type Dependencies = Pick<DashboardDependencies, 'clock' | 'integrations' | 'telephony' | 'reports'>;

/** Everything at a glance. Nothing here is counted: it takes as long for many calls as for few. */
export const loadOverview = async ({ clock, integrations, telephony, reports }: Dependencies, teamId: string) => {
  const now = clock.now();
  const since = toIso(now - WAITING_WITHIN_MS);
  const [status, latest, waiting, { weeks }, accounts] = await Promise.all([
    integrations.getStatus(teamId),
    telephony.calls.list(teamId, {}, FEW),
    telephony.calls.list(teamId, { waiting: true, since }, FEW),
    reports.forPages.listWeeks(teamId, { before: undefined, limit: 1 }),
    telephony.settings.listAccounts(teamId),
  ]);
  return {
    now,
    connections: status.integrations.filter((one) => one.status !== 'disconnected'),
    latest: latest.calls,
    waiting: waiting.calls,
    moreWait: waiting.nextCursor !== null,
    report: weeks[0] ?? null,
    accounts,
    hasDemo: telephony.demo !== null,
  };
};

export type Overview = Awaited<ReturnType<typeof loadOverview>>;
