import type { DashboardContext } from '../context.ts';
import type { Person } from '../person.ts';

/** How many of the latest calls are shown. */
export const MOST_LATEST = 6;

/** Refusals older than this are no longer shown. */
const RECENT_MS = 24 * 3_600_000;

/**
 * The setup steps of a new team. Null for members, who can't do most of them, and once an admin has dismissed the list.
 */
const loadSetUp = async ({ telephony, reports, teams }: DashboardContext, { team, role }: Person) => {
  if (role !== 'admin') return null;
  const { welcomedAt, recipientsChosenAt, dismissedAt } = await teams.team.getChecklist(team.id);
  if (dismissedAt !== null) return null;
  const [hasNumber, members, recipients] = await Promise.all([
    telephony.numbers.hasOwn(team.id),
    teams.members.list(team.id, { limit: 2 }),
    reports.listRecipients(team),
  ]);
  const { addresses, slack, sendsMail } = recipients;
  return {
    /** True if somebody has named the team, or if the operator's product created it. */
    isWelcomed: welcomedAt !== null || team.key !== null,
    hasNumber,
    hasColleague: members.rows.length > 1,
    hasRecipients: recipientsChosenAt !== null || slack || (sendsMail && addresses.length > 0),
  };
};

/** How many of the latest calls are read to find real ones among demo calls. */
const MOST_LOOKED_AT = 30;

/** The latest calls. Leaves out demo calls if the team has its own account, and reads more calls instead. */
const loadLatest = async ({ telephony }: DashboardContext, { team }: Person) => {
  const show = async (limit: number) => (await telephony.calls.show(team.id, {}, limit)).calls;
  const latest = await show(MOST_LATEST);
  if (latest.every(({ isCounted }) => isCounted)) return { latest, hidesDemo: false };
  const more = await show(MOST_LOOKED_AT);
  return { latest: more.filter(({ isCounted }) => isCounted).slice(0, MOST_LATEST), hidesDemo: true };
};

/** Loads the calls that Home shows, and the week's figures. If these calls have changed, the week is counted again. */
const loadCalls = async (context: DashboardContext, person: Person) => {
  const { telephony, reports } = context;
  const { team } = person;
  const [{ latest, hidesDemo }, waiting] = await Promise.all([
    loadLatest(context, person),
    telephony.calls.countWaiting(team.id),
  ]);
  const seen = latest.map(({ id, outcome, talkSeconds, returnedAt }) => [id, outcome, talkSeconds, returnedAt]);
  return { latest, hidesDemo, waiting, weeks: await reports.showRecentWeeks(team, JSON.stringify([seen, waiting])) };
};

/**
 * Loads everything that Home shows. The figures are from the last count, so a team with many calls doesn't wait for a
 * new one: see `showRecentWeeks`.
 */
export const loadOverview = async (context: DashboardContext, person: Person) => {
  const { clock, integrations, telephony } = context;
  const { team } = person;
  const now = clock.now();
  const [status, { latest, hidesDemo, waiting, weeks }, accounts, refused, storage, setUp] = await Promise.all([
    integrations.getStatus(team.id),
    loadCalls(context, person),
    telephony.accounts.listNames(team.id),
    telephony.accounts.listRefused(team.id, now - RECENT_MS),
    telephony.getStorage(team.id),
    loadSetUp(context, person),
  ]);
  return {
    now,
    connections: status.integrations.filter((one) => one.status !== 'disconnected'),
    latest,
    /** True if demo calls are among the newest calls but hidden, because the team has its own account. */
    hidesDemo,
    /** How many callers need a call back, counted up to a limit. */
    waiting,
    weeks,
    hasAccounts: accounts.length > 0,
    refused,
    storage,
    setUp,
    hasDemo: telephony.demo !== null,
  };
};

export type Overview = Awaited<ReturnType<typeof loadOverview>>;
