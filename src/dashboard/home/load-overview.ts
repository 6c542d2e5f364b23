import { toIso } from '../../platform/index.ts';
import type { DashboardContext } from '../context.ts';

/** As many calls as fit at a glance. */
const FEW = 6;
/** Callers who have waited longer than this are in that week's report. */
const WAITING_WITHIN_MS = 7 * 24 * 3_600_000;

/** Refusals older than this are no longer news. */
const RECENT_MS = 24 * 3_600_000;

/** Everything at a glance. Nothing is counted, so many calls take no longer than a few. */
export const loadOverview = async (context: DashboardContext, teamId: string) => {
  const { clock, integrations, telephony, reports } = context;
  const now = clock.now();
  const since = toIso(now - WAITING_WITHIN_MS);
  const [status, latest, waiting, { weeks }, accounts, refused, storage] = await Promise.all([
    integrations.getStatus(teamId),
    telephony.calls.list(teamId, {}, FEW),
    telephony.calls.list(teamId, { waiting: true, since }, FEW),
    reports.listWeeks(teamId, { before: undefined, limit: 1 }),
    telephony.accounts.listNames(teamId),
    telephony.accounts.listRefused(teamId, now - RECENT_MS),
    telephony.getStorage(teamId),
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
    storage,
    hasDemo: telephony.demo !== null,
  };
};

export type Overview = Awaited<ReturnType<typeof loadOverview>>;
