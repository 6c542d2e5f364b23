import { listProvedAdminAddresses, lockTeam } from '../../teams/index.ts';
import type { Vault } from '../../vault/index.ts';
import { ALERT_KINDS, type AlertKind, type Channel, channelsFor } from './alert.ts';
import { type AlertDispatch, insertDispatch } from './alert-dispatch-store.ts';
import { putInNotice } from './alert-store.ts';
import { getSettings, listDueTeams, lockAlerts, postpone, putTold, takeDue } from './alert-team-store.ts';
import type { AlertsContext } from './context.ts';
import { alertJobs } from './send-alert.job.ts';

const TEAMS_AT_ONCE = 50;

type Recipient = { channel: Channel; recipientHash: string };

export const hashRecipient = (vault: Vault, teamId: string, address: string): Promise<string> =>
  vault.hash(teamId, `alert ${address}`);

/** The team's admins by mail, if the address is known to be theirs, and its Slack channel, as far as they are set up. */
const listRecipients = async (
  { database, vault, mailer, slack }: AlertsContext,
  teamId: string,
): Promise<Recipient[]> => {
  const addresses = mailer ? await listProvedAdminAddresses(database, teamId) : [];
  const unique = [...new Set(addresses.map((address) => address.trim().toLowerCase()))];
  const hashes = await Promise.all(unique.map((address) => hashRecipient(vault, teamId, address)));
  return [
    ...hashes.map((recipientHash) => ({ channel: 'mail' as const, recipientHash })),
    ...((await slack.isSetUp(teamId)) ? [{ channel: 'slack' as const, recipientHash: '' }] : []),
  ];
};

/** One notice about everything that is new. It's in the same transaction as the jobs that send it. */
const queueNotice = async (context: AlertsContext, teamId: string): Promise<void> => {
  const { database, clock, newId } = context;
  const recipients = await listRecipients(context, teamId);
  await database.transaction(async (tx) => {
    const now = clock.now();
    // It's being erased, which can take days.
    if (!(await lockTeam(tx, teamId))) return postpone(tx, teamId, now);
    await lockAlerts(tx, teamId);
    const due = await takeDue(tx, teamId, now);
    if (!due) return;
    const { leftOut } = due;
    const noticeId = newId();
    const { opened, resolved } = await putInNotice(tx, teamId, noticeId);
    const kinds: AlertKind[] = [...opened, ...resolved];
    if (kinds.length === 0 && leftOut === 0) return;
    await putTold(tx, teamId, now);
    const settings = await getSettings(tx, teamId);
    for (const [behind, recipient] of recipients.entries()) {
      // Of what was left out, nobody knows what it was.
      const told = leftOut > 0 ? ALERT_KINDS : kinds;
      if (!told.some((kind) => channelsFor(settings, kind)[recipient.channel])) continue;
      const progress = { state: 'queued', problem: null, attempts: 0, createdAt: now, sentAt: null } as const;
      const dispatch: AlertDispatch = { id: newId(), teamId, noticeId, ...recipient, leftOut, ...progress };
      await insertDispatch(tx, dispatch);
      await alertJobs.enqueue(context, tx, dispatch, { behind });
    }
  });
};

/** For each team for which it's time. One that fails comes last, so it delays nobody else. */
export const queueNotices = async (context: AlertsContext): Promise<void> => {
  const { database, clock, log } = context;
  for (const teamId of await listDueTeams(database, clock.now(), TEAMS_AT_ONCE))
    await queueNotice(context, teamId).catch(async (err) => {
      log.warn({ err, teamId }, 'a team could not be alerted yet');
      await postpone(database, teamId, clock.now());
    });
};
