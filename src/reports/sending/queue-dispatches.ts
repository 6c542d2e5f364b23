import { hasSlack } from '../../notices/index.ts';
import type { Team } from '../../teams/index.ts';
import { countsDemoCalls } from '../../telephony/index.ts';
import type { ReportsContext } from '../context.ts';
import type { ReportRow } from '../figures/report-store.ts';
import { deleteSkipped, listDispatches } from '../ledger/dispatch-store.ts';
import { hashRecipient, sealRecipient } from '../ledger/recipient.ts';
import { type ReportDispatch, reportDispatches } from '../ledger/report-dispatches.ts';
import { predatesTeam } from '../week/due-weeks.ts';
import { listAddresses } from './list-recipients.ts';

type To = Pick<ReportDispatch, 'id' | 'channel' | 'recipientHash' | 'recipient'>;

const NO_MAIL_SERVER = 'No mail server is configured (SMTP_URL, MAIL_FROM), and Slack is not set up for this team.';
const BEFORE_TEAM = 'The week ended before the team was created.';
const ONLY_DEMO = 'The team had only demo calls, so there was nothing to report.';
const NO_RECIPIENT = 'The team has no recipients with an email address, and Slack is not set up.';

/** How long a report that nobody got is still worth sending. */
export const STILL_NEWS_MS = 7 * 24 * 3_600_000;

const listMails = async (context: ReportsContext, team: Team): Promise<To[]> => {
  const { vault, newId } = context;
  const addresses = await listAddresses(context, team);
  return Promise.all(
    addresses.map(async (address) => {
      const id = newId();
      const recipientHash = await hashRecipient(vault, team.id, address);
      return { id, channel: 'mail', recipientHash, recipient: await sealRecipient(vault, team.id, id, address) };
    }),
  );
};

/**
 * Prepares a dispatch for each recipient. Email addresses are sealed here, before the transaction begins. If there are
 * no recipients, a single row says why.
 */
export const prepareDispatches = async (
  context: ReportsContext,
  team: Team,
  report: ReportRow,
): Promise<ReportDispatch[]> => {
  const { clock, newId, mailer } = context;
  const toDispatch = (to: To, rest: Pick<ReportDispatch, 'state' | 'problem'>): ReportDispatch => ({
    ...to,
    ...rest,
    ...{ teamId: team.id, reportId: report.id, week: report.week, createdAt: clock.now() },
    ...{ attempts: 0, nextTryAt: null, sentAt: null },
  });
  const skip = (problem: string): ReportDispatch[] => {
    const nobody: To = { id: newId(), channel: 'mail', recipientHash: 'nobody', recipient: null };
    return [toDispatch(nobody, { state: 'skipped', problem })];
  };
  if (predatesTeam(report, team)) return skip(BEFORE_TEAM);
  if (await countsDemoCalls(context, team.id)) return skip(ONLY_DEMO);
  const mails = mailer ? await listMails(context, team) : [];
  const slack: To = { id: newId(), channel: 'slack', recipientHash: 'team', recipient: null };
  const everybody = (await hasSlack(context, team.id)) ? [...mails, slack] : mails;
  if (everybody.length > 0) return everybody.map((to) => toDispatch(to, { state: 'queued', problem: null }));
  return skip(mailer ? NO_RECIPIENT : NO_MAIL_SERVER);
};

/** Sends a report that had no recipient, now that there is one. A report about demo calls stays unsent. */
export const queueSkipped = async (context: ReportsContext, team: Team, report: ReportRow): Promise<void> => {
  const { database, clock } = context;
  const dispatches = await prepareDispatches(context, team, report);
  if (dispatches.every(({ state }) => state === 'skipped')) return;
  const earlier = await listDispatches(database, team.id, report.week);
  if (earlier.some(({ problem }) => problem === ONLY_DEMO)) return;
  const since = clock.now() - STILL_NEWS_MS;
  await database.transaction(async (tx) => {
    if ((await deleteSkipped(tx, team.id, report.week, since)) > 0)
      await reportDispatches.queue(context, tx, dispatches);
  });
};
