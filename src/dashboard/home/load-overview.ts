import type { DashboardContext } from '../context.ts';
import type { Person } from '../person.ts';

/** As many calls as fit at a glance. */
export const MOST_LATEST = 6;

/** Refusals older than this are no longer news. */
const RECENT_MS = 24 * 3_600_000;

/** What a new team still has to do. Only admins are asked, until one of them dismisses it: a member can't do most of it. */
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
    /** Somebody has named the team, or their product has. */
    isWelcomed: welcomedAt !== null || team.key !== null,
    hasNumber,
    hasColleague: members.rows.length > 1,
    hasRecipients: recipientsChosenAt !== null || slack || (sendsMail && addresses.length > 0),
  };
};

/** What Home shows of the calls beside their figures. While it stays the same, nothing is counted again. */
const loadCalls = async ({ telephony, reports }: DashboardContext, { team }: Person) => {
  const [{ calls }, waiting] = await Promise.all([
    telephony.calls.show(team.id, {}, MOST_LATEST),
    telephony.calls.countWaiting(team.id),
  ]);
  const seen = calls.map(({ id, outcome, talkSeconds, returnedAt }) => [id, outcome, talkSeconds, returnedAt]);
  return { latest: calls, waiting, weeks: await reports.showRecentWeeks(team, JSON.stringify([seen, waiting])) };
};

/** Everything at a glance. No calls are counted here, so many take no longer than a few: see `showRecentWeeks`. */
export const loadOverview = async (context: DashboardContext, person: Person) => {
  const { clock, integrations, telephony } = context;
  const { team } = person;
  const now = clock.now();
  const [status, { latest, waiting, weeks }, accounts, refused, storage, setUp] = await Promise.all([
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
    /** How many callers need a call back; counted up to a limit. */
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
