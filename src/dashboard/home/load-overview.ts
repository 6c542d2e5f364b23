import { toIso } from '../../platform/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';

/** As many calls as are seen at a glance. */
const FEW = 6;
/** Whoever has waited for longer than this is in the report of their week. */
const WAITING_WITHIN_MS = 7 * 24 * 3_600_000;

/** What was refused longer ago than this is not news any more. */
const RECENT_MS = 24 * 3_600_000;

type Dependencies = Pick<DashboardDependencies, 'clock' | 'integrations' | 'telephony' | 'reports'>;

/** Everything at a glance. Nothing here is counted: it takes as long for many calls as for few. */
export const loadOverview = async ({ clock, integrations, telephony, reports }: Dependencies, teamId: string) => {
  const now = clock.now();
  const since = toIso(now - WAITING_WITHIN_MS);
  const [status, latest, waiting, { weeks }, accounts, refused] = await Promise.all([
    integrations.getStatus(teamId),
    telephony.calls.list(teamId, {}, FEW),
    telephony.calls.list(teamId, { waiting: true, since }, FEW),
    reports.forPages.listWeeks(teamId, { before: undefined, limit: 1 }),
    telephony.settings.listAccountNames(teamId),
    telephony.settings.listRefusedAccounts(teamId, now - RECENT_MS),
  ]);
  return {
    now,
    connections: status.integrations.filter((one) => one.status !== 'disconnected'),
    latest: latest.calls,
    waiting: waiting.calls,
    moreWait: waiting.nextCursor !== null,
    report: weeks[0] ?? null,
    hasAccounts: accounts.length > 0,
    refused,
    hasDemo: telephony.demo !== null,
  };
};

export type Overview = Awaited<ReturnType<typeof loadOverview>>;
