import { listProvedAdminAddresses } from '../../teams/index.ts';
import type { NoticesContext } from '../context.ts';
import { hasSlack } from '../slack/slack-address-store.ts';
import { type AlertDispatch, alertDispatches, hashAlertRecipient } from './alert-dispatches.ts';

type Recipient = Pick<AlertDispatch, 'channel' | 'recipientHash'>;

/** The admins with a verified email address, if there is a mail server, and the Slack channel, if one is set up. */
const listRecipients = async (context: NoticesContext, teamId: string): Promise<Recipient[]> => {
  const { database, vault, mailer } = context;
  const addresses = mailer ? await listProvedAdminAddresses(database, teamId) : [];
  const hashes = await Promise.all(addresses.map((address) => hashAlertRecipient(vault, teamId, address)));
  return [
    ...[...new Set(hashes)].map((recipientHash) => ({ channel: 'mail' as const, recipientHash })),
    ...((await hasSlack(context, teamId)) ? [{ channel: 'slack' as const, recipientHash: '' }] : []),
  ];
};

/** Queues one notice about all new alerts of a team. Its dispatches and the jobs that send them are stored together. */
const queueNotice = async (context: NoticesContext, teamId: string): Promise<void> => {
  const { database, clock, newId, events } = context;
  const recipients = await listRecipients(context, teamId);
  await database.transaction(async (tx) => {
    const noticeId = newId();
    const notice = await events.alerts.takeNotice(tx, { teamId, noticeId });
    if (!notice) return;
    const { channels, leftOut } = notice;
    const progress = { state: 'queued', problem: null, attempts: 0, createdAt: clock.now(), sentAt: null } as const;
    const dispatches = recipients
      .filter(({ channel }) => channels.includes(channel))
      .map((recipient) => ({ id: newId(), teamId, noticeId, leftOut, ...recipient, ...progress }));
    await alertDispatches.queue(context, tx, dispatches);
  });
};

/** Queues a notice for each team that is due for one. If that fails for a team, the team goes behind the others. */
export const queueNotices = async (context: NoticesContext): Promise<void> => {
  const { log, events } = context;
  for (const teamId of await events.alerts.listTeamsToTell())
    await queueNotice(context, teamId).catch(async (err) => {
      log.warn({ err, teamId }, 'a team could not be alerted yet');
      await events.alerts.postponeTeam(teamId);
    });
};
