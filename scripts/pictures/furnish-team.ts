import type { App } from '../../src/app.ts';
import { COMMAND_LINE } from '../../src/teams/index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Connections to the sandbox that stand for accounts at real providers, which can't be reached from here. */
export const STAND_INS = ['front-desk', 'chat', 'crm'] as const;

type StandIn = { provider: string; name: string; label: string; usedAt: number | null; trouble: string | null };

const standInsAt = (now: number): Readonly<Record<(typeof STAND_INS)[number], StandIn>> => ({
  'front-desk': {
    provider: 'github',
    name: 'default',
    label: 'example-ltd',
    usedAt: now - 26 * HOUR_MS,
    trouble: null,
  },
  chat: { provider: 'slack', name: 'default', label: 'Example Ltd', usedAt: now - 2 * MINUTE_MS, trouble: null },
  crm: {
    provider: 'hubspot',
    name: 'default',
    label: 'sales@example.com',
    usedAt: now - 3 * HOUR_MS,
    trouble: 'Access was revoked at HubSpot.',
  },
});

const addUsage = async ({ database }: App, teamId: string, now: number): Promise<void> => {
  const hour = Math.floor(now / HOUR_MS);
  const rows = await database.all<{ id: string; provider: string }>(
    `select id, provider from connections where team_id = $1 and used_at is not null`,
    [teamId],
  );
  for (const { id, provider } of rows)
    for (let ago = 1; ago < 7 * 24; ago += 6)
      await database.run(
        'insert into connection_usage (team_id, connection_id, hour, requests, failures, bytes) values ($1, $2, $3, $4, 0, 1000)',
        [teamId, id, hour - ago, (provider === 'slack' ? 40 : 4) + ((ago * 7) % 23)],
      );
};

/** Makes connections to the sandbox look like connections to the providers that they stand for. */
export const dressConnections = async (app: App, teamId: string, now: number): Promise<void> => {
  for (const [standIn, { provider, name, label, usedAt, trouble }] of Object.entries(standInsAt(now)))
    await app.database.run(
      `update connections set provider = $1, name = $2, account_label = $3, used_at = $4, last_error = $5,
        status = case when $5 is null then 'connected' else 'needs_reconnect' end,
        reason = case when $5 is null then null else 'revoked' end,
        trouble_since = case when $5 is null then null else $6 end,
        connected_at = $7, reconnect_before = null, refresh_due_at = null, expires_at = null
        where team_id = $8 and provider = 'sandbox' and name = $9`,
      [provider, name, label, usedAt, trouble, now - 2 * HOUR_MS, now - 20 * DAY_MS, teamId, standIn],
    );
  await addUsage(app, teamId, now);
};

const MOST_AT_ONCE = 100;

/** Marks waiting callers as called back, except for the newest few. */
export const returnCalls = async (app: App, { id: userId, teamId }: Admin, left: number): Promise<void> => {
  const { calls } = app.telephony;
  const { calls: waiting } = await calls.showWaiting(teamId, {}, MOST_AT_ONCE);
  const ids = waiting.slice(left).map(({ id }) => id);
  if (ids.length > 0) await calls.markReturned({ teamId, userId }, COMMAND_LINE, { ids, allAttempts: true });
};

type Admin = { id: string; teamId: string };

/** Names the number. Call this before the first report, which shows the name. */
export const nameNumber = async ({ telephony: { numbers } }: App, { teamId }: Admin): Promise<void> => {
  const [number] = (await numbers.list(teamId, { limit: 1 })).rows;
  if (number) await numbers.change(teamId, COMMAND_LINE, number.id, { label: 'Main line' });
};

export const inviteColleagues = async (app: App, { teamId }: Admin): Promise<void> => {
  for (const { email, name, role } of [
    { email: 'maria@example.com', name: 'Maria Lopez', role: 'admin' },
    { email: 'jonas@example.com', name: 'Jonas Weber', role: 'member' },
  ] as const)
    await app.teams.members.invite(teamId, COMMAND_LINE, { email, name, role });
};
