import type { Clock, Database, NewId, Outbound } from '../../platform/index.ts';
import { type AuditActor, getTeam, recordAudit } from '../../teams/index.ts';
import type { Vault } from '../../vault/index.ts';
import { slackNotSet, slackRefused } from '../errors.ts';
import { renderSlackTest } from '../rendering/slack-blocks.ts';
import { postToSlack } from './post-to-slack.ts';
import { openSlackAddress } from './slack-address.ts';
import { getSlackAddress } from './slack-address-store.ts';

export type SlackTestDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  outbound: Outbound;
};

/** Now, and once: somebody waits to see it come. */
export const sendSlackTest = async (
  { database, vault, clock, newId, outbound }: SlackTestDependencies,
  teamId: string,
  actor: AuditActor,
): Promise<void> => {
  const row = await getSlackAddress(database, teamId);
  const team = await getTeam(database, teamId);
  if (!row || !team) throw slackNotSet();
  const address = await openSlackAddress(vault, teamId, row.address);
  const failure = await postToSlack({ outbound }, address, renderSlackTest(team.name));
  await recordAudit({ clock, newId }, database, teamId, actor, {
    action: 'report.slack.test',
    target: row.host,
    detail: { result: failure ? 'failed' : 'sent' },
  });
  if (failure) throw slackRefused(failure.problem);
};
