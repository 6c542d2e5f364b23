import type { Allowed, Restriction } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { FIELDS } from './schemas.ts';
import { defineTool, READS } from './tool.ts';

const { Text, TextOrNull } = FIELDS;

const TextsOrNull = Type.Union([Type.Array(Text), Type.Null()]);

const concerns = (provider: string, connection: string) => (allowed: Allowed) =>
  allowed.provider === provider && (allowed.connection === null || allowed.connection === connection);

const sayAllowed = ({ host, methods, paths }: Allowed) => ({
  host,
  methods: methods && [...methods],
  paths: paths && [...paths],
});

const mayList = ({ can, allow }: Restriction): boolean => can.includes('status') || allow.length > 0;

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
  async run({ integrations }, { caller: { teamId, restriction } }) {
    const { can, allow, approvalMinutes } = restriction;
    const { integrations: all } = await integrations.getStatus(teamId);
    const connections = all
      .filter(({ status }) => status !== 'disconnected')
      .map(({ provider, connection, name, status, account }) => {
        const allowed = allow.filter(concerns(provider, connection)).map(sayAllowed);
        return { provider, connection, name, status, account: account && { ...account }, allowed };
      })
      .filter(({ allowed }) => can.includes('status') || allowed.length > 0);
    return { connections, asks: approvalMinutes !== null };
  },
});
