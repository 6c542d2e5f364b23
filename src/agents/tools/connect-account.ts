import { Type } from '../../platform/index.ts';
import { FIELDS } from './schemas.ts';
import { defineTool } from './tool.ts';

const { ConnectionName, Provider, Text } = FIELDS;

const NEXT =
  'Show this link to a person of the team, who opens it in their own browser and connects the account there. Then call list_connections.';

export const connectAccountTool = defineTool({
  name: 'connect_account',
  title: 'Connect an account',
  description:
    'Makes a link with which a person connects an account at a provider. You can\'t open it yourself, and nothing is connected until the person has. It never replaces an account that is connected. Example: {"provider": "github"}.',
  input: Type.Object(
    { provider: Provider, connection: Type.Optional(ConnectionName) },
    { additionalProperties: false },
  ),
  output: Type.Object({ provider: Text, connection: Text, connectUrl: Text, expiresAt: Text, next: Text }),
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  isFor: ({ can }) => can.includes('connect'),
  async run({ integrations }, { caller }, { provider, ...wish }) {
    const unbound = (): never => {
      throw new TypeError('A restricted token is bound to no browser.');
    };
    const { connection, connectUrl, expiresAt } = await integrations.beginForCaller(caller, provider, wish, unbound);
    return { provider, connection, connectUrl, expiresAt, next: NEXT };
  },
});
