import type { Allowed, AllowedAccount, Restriction } from '../../http/index.ts';
import { Type, toIso } from '../../platform/index.ts';
import type { AgentsContext } from '../context.ts';
import { FIELDS } from './schemas.ts';
import { defineTool, READS } from './tool.ts';

const { Text, TextOrNull } = FIELDS;

const DAY_MS = 24 * 3_600_000;

const TextsOrNull = Type.Union([Type.Array(Text), Type.Null()]);

type Listed = Awaited<ReturnType<AgentsContext['integrations']['getStatus']>>['integrations'][number];

/** Whether the account is the one that was allowed. If it's unknown, it has to be the same consent. */
const isAllowedAccount = (allowed: AllowedAccount, { account, connectedAt }: Listed): boolean =>
  allowed.id === (account?.id ?? null) && (allowed.id !== null || toIso(allowed.connectedAt) === connectedAt);

const concerns =
  (listed: Listed) =>
  ({ provider, connection, account }: Allowed): boolean =>
    provider === listed.provider &&
    (connection === null || connection === listed.connection) &&
    (account === null || isAllowedAccount(account, listed));

const sayAllowed = ({ host, methods, paths }: Allowed) => ({
  host,
  methods: methods && [...methods],
  paths: paths && [...paths],
});

const mayList = ({ can, allow }: Restriction): boolean => can.includes('status') || allow.length > 0;

/** Counts what the provider has reported about each connection in the last 24 hours. */
const countEvents = async ({ integrations, countRecent }: AgentsContext, teamId: string) => {
  const connections = await integrations.listConnectionIds(teamId);
  const counts = await countRecent(
    teamId,
    connections.map(({ id }) => id),
    DAY_MS,
  );
  const byName = new Map(connections.map(({ id, provider, name }) => [`${provider} ${name}`, counts.get(id) ?? 0]));
  return (provider: string, connection: string): number => byName.get(`${provider} ${connection}`) ?? 0;
};

export const listConnectionsTool = defineTool({
  name: 'list_connections',
  title: 'List connections',
  description:
    "Lists the team's connected accounts, and what this token may send to each with `call_api` (`allowed`). Begin here. A connection whose `status` is `needs_reconnect` doesn't work until a person connects it again. Example: {}.",
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({
    connections: Type.Array(
      Type.Object({
        provider: Text,
        connection: Text,
        name: Type.String({ description: "The provider's name" }),
        status: Text,
        account: Type.Union([Type.Object({ id: TextOrNull, label: TextOrNull }), Type.Null()]),
        eventsToday: Type.Integer({
          description: 'How often the provider has reported something in the last 24 hours. 1,000 stands for more',
        }),
        allowed: Type.Array(Type.Object({ host: TextOrNull, methods: TextsOrNull, paths: TextsOrNull }), {
          description:
            '`methods` null: what only reads. `paths` null: all. `host` null: the address of the API itself. Empty: nothing',
        }),
      }),
    ),
    asks: Type.Boolean({
      description:
        'Whether other requests to these accounts wait for the approval of a person. If not, they are refused',
    }),
  }),
  hints: READS,
  isFor: mayList,
  async run(context, { caller: { teamId, restriction } }) {
    const { can, allow, approvalMinutes } = restriction;
    const { integrations: all } = await context.integrations.getStatus(teamId);
    const countOf = await countEvents(context, teamId);
    const connections = all
      .filter(({ status }) => status !== 'disconnected')
      .map((listed) => {
        const { provider, connection, name, status, account } = listed;
        const allowed = allow.filter(concerns(listed)).map(sayAllowed);
        const eventsToday = countOf(provider, connection);
        return { provider, connection, name, status, account: account && { ...account }, eventsToday, allowed };
      })
      .filter(({ allowed }) => can.includes('status') || allowed.length > 0);
    return { connections, asks: approvalMinutes !== null };
  },
});
