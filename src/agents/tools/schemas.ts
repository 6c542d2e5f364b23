import { Type } from '../../platform/index.ts';

const Text = Type.String();
const TextOrNull = Type.Union([Text, Type.Null()]);

const Provider = Type.String({ maxLength: 60, description: 'The ID of a provider, such as `github`' });
const ConnectionName = Type.String({
  maxLength: 100,
  description: 'The name of a connection, from `list_connections`. Leave it out if there is only one',
});

/** A body as an agent gets it: JSON as a value, other text as text. */
const Body = Type.Unknown({ description: 'JSON as a value, or text. Null if it is empty, or no text' });

/** What a provider has responded with. */
const ANSWERED = {
  status: Type.Integer({ description: "The provider's HTTP status" }),
  contentType: TextOrNull,
  links: Type.Record(Type.String(), Type.String(), {
    description:
      'Where it leads: the headers `Link` and `Location`. To follow a path with `call_api`, give what comes after its `?` as `query`, without `connection`',
  }),
  retryAfter: TextOrNull,
  body: Body,
  bytes: Type.Integer({ description: 'How long the body is, as far as it was read' }),
  cut: Type.Boolean({ description: 'Whether there is more: ask for less, or for the next page' }),
};

/** Schemas of what several tools take or return. */
export const FIELDS = { Text, TextOrNull, Provider, ConnectionName } as const;
export const ProvidersAnswer = Type.Object(ANSWERED);
