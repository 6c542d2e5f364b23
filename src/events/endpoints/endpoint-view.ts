import type { Static } from 'typebox';
import { Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import { choicesOf, OfProvider } from '../log/event-filter.ts';
import type { OpenEndpoint } from './endpoints.ts';

const Instant = Type.String({ format: 'date-time' });
const InstantOrNull = Type.Union([Instant, Type.Null()]);

const endpoint = {
  id: Type.String(),
  url: Type.String(),
  types: Type.Array(Type.String()),
  active: Type.Boolean(),
  description: Type.String(),
  inactiveReason: Type.Union([Type.Enum(['paused', 'gone', 'failing']), Type.Null()], {
    description:
      '`paused`: by a person. `gone`: the receiver responded with 410. `failing`: it accepted nothing for five days',
  }),
  inactiveSince: InstantOrNull,
  failingSince: Type.Union([Instant, Type.Null()], { description: 'null if the last attempts succeeded' }),
  lastSuccessAt: InstantOrNull,
  lastFailureAt: InstantOrNull,
  replaying: Type.Boolean({ description: 'Whether a replay is still running' }),
  createdAt: Instant,
};

export const EndpointView = Type.Object(endpoint, { title: 'Endpoint' });
export type EndpointView = Static<typeof EndpointView>;

export const NewEndpointView = Type.Object(
  {
    ...endpoint,
    secret: Type.String({ description: 'What to verify signatures with. Shown only now' }),
  },
  { title: 'NewEndpoint' },
);

const MOST_CHOICES = 50;

/** The fields of an endpoint that a person or a program can set. */
export const endpointFields = (forOperator: boolean) => ({
  url: Type.String({ minLength: 1, maxLength: 2_000, examples: ['https://example.com/events'] }),
  types: Type.Array(Type.Union([Type.Enum(choicesOf(forOperator)), OfProvider]), {
    ...{ minItems: 1, maxItems: MOST_CHOICES, uniqueItems: true },
    description: 'Of the events at connected accounts, `*` includes none',
  }),
  description: Type.String({ maxLength: 200 }),
});

export const toEndpointView = ({ endpoint: row, url }: OpenEndpoint): EndpointView => ({
  id: row.id,
  url: url.reveal(),
  types: [...row.types],
  active: row.inactiveReason === null,
  description: row.description,
  inactiveReason: row.inactiveReason,
  inactiveSince: toIsoOrNull(row.inactiveSince),
  failingSince: toIsoOrNull(row.failingSince),
  lastSuccessAt: toIsoOrNull(row.lastSuccessAt),
  lastFailureAt: toIsoOrNull(row.lastFailureAt),
  replaying: row.replayUntil !== null,
  createdAt: toIso(row.createdAt),
});
