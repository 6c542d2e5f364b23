import {
  type Clock,
  type Command,
  type Database,
  type PageQuery,
  printTable,
  toIso,
  UsageRefused,
} from '../../platform/index.ts';
import { pickTeam, teamOption } from '../../teams/index.ts';
import type { ListedRequest, RequestQuery } from './list-requests.ts';
import { viewRequest } from './request-view.ts';

type Listed = { rows: readonly ListedRequest[]; nextCursor: string | null };
type Open = () => Promise<{
  database: Database;
  clock: Clock;
  integrations: { listRequests(teamId: string, query: RequestQuery): Promise<Listed> };
}>;

const MOST = 100;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `30m`, `2h`, `7d`, or a time such as `2026-11-18T09:00:00Z`. */
const readSince = (text: string, now: number): number => {
  const [, number, unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  if (number !== undefined) return now - Number(number) * (UNIT_MS[unit] ?? 0);
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageRefused('--since must be like 30m, 2h, 7d, or 2026-11-18T09:00:00Z.');
  return at;
};

const textOf = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Reads the newest, from several pages if necessary: a page that was long to find has fewer. */
const readNewest = async (list: (query: PageQuery) => Promise<Listed>): Promise<ListedRequest[]> => {
  const found: ListedRequest[] = [];
  for (let query: PageQuery = { limit: MOST }; ; ) {
    const { rows, nextCursor } = await list(query);
    found.push(...rows);
    if (nextCursor === null || found.length >= MOST) return found;
    query = { limit: MOST - found.length, cursor: nextCursor };
  }
};

const describe = ({ request }: ListedRequest): string =>
  request === null ? '(access token handed out)' : `${request.method} ${request.path}`;

const toCells = (row: ListedRequest): string[] => [
  toIso(row.at),
  row.connection === 'default' ? row.provider : `${row.provider} ${row.connection}`,
  row.request === null ? '' : `${row.request.status ?? 'left'}`,
  describe(row),
  row.tokenName ?? row.tokenId ?? '',
];

export const requestCommands = (open: Open): Command[] => [
  {
    name: 'requests',
    about: `Lists the last requests that used a connection's credential, ${MOST} at most, newest first.`,
    options: {
      ...teamOption,
      provider: { type: 'string', about: "the provider's ID" },
      connection: { type: 'string', about: "the connection's name" },
      token: { type: 'string', about: "an access token's ID (`token list`)" },
      failed: { type: 'boolean', about: 'only what failed' },
      since: { type: 'string', about: 'such as 30m, 2h, 7d, or 2026-11-18T09:00:00Z' },
    },
    async run({ options }) {
      const app = await open();
      const teamId = await pickTeam(app, options['team']);
      const since = textOf(options['since']);
      const filter = {
        provider: textOf(options['provider']),
        connection: textOf(options['connection']),
        caller: textOf(options['token']),
        failed: options['failed'] === true,
        ...(since === undefined ? {} : { since: readSince(since, app.clock.now()) }),
      };
      const rows = await readNewest((page) => app.integrations.listRequests(teamId, { ...filter, ...page }));
      const heads = ['time', 'provider', 'status', 'request', 'token'];
      const text =
        rows.length === 0 ? 'No such requests in the last seven days.' : printTable(heads, rows.map(toCells));
      return { text, json: { requests: rows.map(viewRequest) } };
    },
  },
];
