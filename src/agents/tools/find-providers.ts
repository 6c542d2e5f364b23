import { Type } from '../../platform/index.ts';
import { FIELDS } from './schemas.ts';
import { defineTool, READS } from './tool.ts';

const { Text, TextOrNull } = FIELDS;

const MOST = 10;

export const findProvidersTool = defineTool({
  name: 'find_providers',
  title: 'Find providers',
  description:
    'Searches the catalog of providers that accounts can be connected of, by name, ID or category. Use it to learn a provider\'s ID and the address of its API. Example: {"query": "projects"} or {"query": "github"}. `configured` says whether an account can be connected right away.',
  input: Type.Object(
    { query: Type.String({ minLength: 1, maxLength: 100, description: 'Words, such as `github` or `calendar`' }) },
    { additionalProperties: false },
  ),
  output: Type.Object({
    providers: Type.Array(
      Type.Object({
        id: Text,
        name: Text,
        category: Text,
        kind: Text,
        configured: Type.Boolean(),
        retired: TextOrNull,
        api: Type.Union([Type.Object({ url: Text, hosts: Type.Record(Text, Text) }), Type.Null()], {
          description: 'What the path of `call_api` is appended to. Null if requests are not possible',
        }),
        docs: TextOrNull,
      }),
      { description: `The ${MOST} best matches` },
    ),
  }),
  hints: READS,
  isFor: ({ can }) => can.includes('status') || can.includes('connect'),
  async run({ integrations }, { caller }, { query }) {
    const found = await integrations.listProviders(caller.teamId, { q: query, most: MOST });
    return {
      providers: found.map(({ id, name, category, kind, configured, retired, api, docs, developerUrl }) => ({
        ...{ id, name, category, kind, configured, retired },
        api: api && { url: api.url, hosts: { ...api.hosts } },
        docs: docs ?? developerUrl,
      })),
    };
  },
});
