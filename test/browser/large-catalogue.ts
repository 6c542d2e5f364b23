import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

const DAY_MS = 86_400_000;
const CATEGORIES = ['crm', 'accounting', 'productivity', 'dev-tools', 'mail and calendar', 'something of our own'];

/** As long as each can be. */
export const LONGEST = {
  name: `Wwwwwwwwww${'m'.repeat(69)}X`,
  label: `${'somebody.with.a.long.name'.repeat(5)}@${'a-department.'.repeat(4)}example.com`,
  connection: 'w'.repeat(40),
  scope: `https://www.example.com/auth/${'everything.'.repeat(24)}`,
  problem: `The provider no longer accepts this connection. ${'Unbreakable'.repeat(20)}. Connect again.`,
};

const oauth = (number: number) => ({
  id: `oauth-${number}`,
  name: number === 1 ? LONGEST.name : `Vendor ${number} of apps`,
  category: CATEGORIES[number % CATEGORIES.length],
  popular: false,
  scopes: number === 1 ? [LONGEST.scope, 'read'] : ['read'],
  authorize: { url: `https://vendor-${number}.example/authorize` },
  token: { url: `https://vendor-${number}.example/token` },
  refresh: { rotates: 'always' },
});

const keyed = (number: number) => ({
  id: `key-${number}`,
  name: `Service ${number} with keys`,
  category: CATEGORIES[number % CATEGORIES.length],
  popular: false,
  kind: 'api_key',
  docs: `https://service-${number}.example/docs/keys`,
  fields: { api_key: { label: 'API key', about: 'In the settings.' } },
  api: { url: `https://service-${number}.example/api` },
});

/** An operator's own, besides hundreds of built-in ones. Most of them aren't set up. */
export const makeEntries = (): object[] => [
  ...Array.from({ length: 20 }, (_, index) => oauth(index + 1)),
  ...Array.from({ length: 180 }, (_, index) => keyed(index + 1)),
];

type Held = { provider: string; name?: string; label?: string | null } & Partial<{
  status: 'connected' | 'degraded' | 'needs_reconnect';
  scopesAsked: string[];
  scopesGranted: string[] | null;
  lastError: string | null;
  reconnectBefore: number | null;
  usedAt: number | null;
  perDay: readonly number[];
}>;

/** Puts connections right into the database of the first team: nothing is asked at any provider. */
export const addConnections = (dataDirectory: string, connections: readonly Held[]): void => {
  const database = new DatabaseSync(`${dataDirectory}/patchbay.db`);
  database.exec('pragma busy_timeout = 5000');
  const { id: teamId } = database.prepare('select id from teams limit 1').get() as { id: string };
  const { id: userId } = database.prepare('select id from users limit 1').get() as { id: string };
  const now = Date.now();
  const addConnection = database.prepare(`insert into connections (id, team_id, provider, name, generation, status,
    account_id, account_label, details, client_id, client_of, authority, scopes_asked, scopes_granted, access_token,
    reconnect_before, connected_at, connected_by, last_error, failures, trouble_since, lease_number, used_at)
    values (?, ?, ?, ?, 1, ?, ?, ?, '{}', 'client', 'operator', 'vendor.example', ?, ?, 'sealed', ?, ?, ?, ?, 0, ?, 0, ?)`);
  const addUsage = database.prepare('insert into connection_usage values (?, ?, ?, ?, ?, ?)');
  for (const held of connections) {
    const { provider, name = 'default', label = null, status = 'connected', perDay = [] } = held;
    const { scopesAsked = ['read'], scopesGranted = null, lastError = null, reconnectBefore = null } = held;
    const id = randomUUID();
    const scopes = [JSON.stringify(scopesAsked), scopesGranted && JSON.stringify(scopesGranted)];
    const since = lastError === null ? null : now - DAY_MS;
    addConnection.run(
      ...[id, teamId, provider, name, status, label, label, ...scopes, reconnectBefore, now - 30 * DAY_MS, userId],
      ...[lastError, since, held.usedAt ?? null],
    );
    const hour = Math.floor(now / 3_600_000);
    for (const [ago, requests] of [...perDay].reverse().entries())
      addUsage.run(teamId, id, hour - ago * 24, requests, Math.floor(requests / 50), requests * 2_000);
  }
  database.close();
};
