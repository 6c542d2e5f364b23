import type { TObject } from 'typebox';
import type { DescribedRequests } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { EVENT_TYPES, type EventType, UNMATCHED } from './event.ts';
import { EventView } from './event-view.ts';

const SUMMARIES: Readonly<Record<EventType, string>> = {
  'connection.connected': 'An account was connected',
  'connection.reconnected': 'An account was connected again, or another one under the same name',
  'connection.degraded': 'A connection has trouble that may pass',
  'connection.recovered': 'A connection works again',
  'connection.needs_reconnect': 'A connection has to be reconnected',
  'connection.disconnected': 'A connection was disconnected',
  'call.started': 'A call started',
  'call.ended': 'A call ended, or its outcome changed later',
  'call.missed': 'An inbound call was missed',
  'call.voicemail': 'A caller left a voicemail',
  'call.returned': 'A call was marked as returned',
  'call.reopened': 'A call is no longer marked as returned',
  'recording.ready': 'A recording can be listened to',
  'recording.failed': "A recording couldn't be made or fetched",
  'transcript.ready': 'A machine has turned a recording into text',
  'report.ready': 'A weekly report, or a new revision of it, can be read',
  'approval.requested': 'A request of a restricted token waits for an approval',
  'approval.decided': 'A request was approved or refused, or has expired',
  'containment.started': 'Connections or access tokens were stopped because something may have leaked',
  'containment.finished': 'Whatever a containment can revoke is revoked',
  'containment.lifted': 'Connections or access tokens that were stopped work again',
  'provider.event': 'Something happened at a connected account',
  'provider.unmatched': "A provider's webhook fits no connection",
  test: 'Someone is testing an endpoint',
  'team.erased': "A customer's team and everything that belonged to it was erased",
};

const header = (name: string, description: string) => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string' },
});

const parameters = {
  WebhookId: header('webhook-id', 'The id of the event. The same if it is sent again'),
  WebhookTimestamp: header('webhook-timestamp', 'When it was sent, in seconds since 1970'),
  WebhookSignature: header('webhook-signature', 'One or more signatures, as in Standard Webhooks'),
};

const responses = {
  '2XX': { description: 'Received. After anything else, it is sent again later' },
  410: { description: 'Turns the endpoint off' },
};

const Cut = Type.Object(
  { truncated: Type.Literal(true) },
  { additionalProperties: true, description: 'Of what is too large, only short fields are left. The rest is at `url`' },
);

/** Types that are sent to endpoints. */
const SENT_TYPES = EVENT_TYPES.filter((type) => type !== UNMATCHED);

const Text = Type.String();

/** The data of what happened at a connected account. */
const Received = Type.Object({
  provider: Text,
  connection: Type.Union([Text, Type.Null()], {
    description: 'The name of the connection. Null if the webhook fits none of them',
  }),
  account: Type.Union([
    Type.Object(
      { id: Type.Union([Text, Type.Null()]), label: Type.Union([Text, Type.Null()]) },
      { additionalProperties: true },
    ),
    Type.Null(),
  ]),
  type: Type.String({ description: "The provider's own type" }),
  id: Type.Union([Text, Type.Null()], { description: "The provider's ID of the delivery" }),
  receivedAt: Type.String({ format: 'date-time' }),
  verified: Type.Enum(['signature', 'token', 'none']),
  payload: Type.Optional(Type.Unknown({ description: 'What the provider sent, if it has at most 16 KB' })),
  payloadUrl: Type.Optional(Type.String({ description: 'Where to download what the provider sent, if it is larger' })),
});

/** Converts `call.missed` to `CallMissed`. */
const toPascal = (name: string): string =>
  name.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

const groupOf = (type: EventType): string => type.split('.')[0] ?? type;

/** Groups of events whose data is always small, so that it's never cut. */
const SMALL: Readonly<Record<string, TObject>> = {
  test: Type.Object({ message: Type.String(), url: Type.String() }),
  team: Type.Object({ erased: Type.Literal(true) }),
};

/** Names the data after what it describes, because events of several groups may describe the same. */
const titleOf = ({ title }: TObject & { title?: string }): { title?: string } =>
  title === undefined ? {} : { title: `${title}InEvent` };

const dataOf = (group: string, data: TObject = Type.Object({})) =>
  SMALL[group] ?? Type.Union([Type.Object({ ...data.properties, url: Type.String() }, titleOf(data)), Cut]);

const schemaOf = (group: string, data: TObject | undefined) =>
  Type.Object({
    ...EventView.properties,
    type: Type.Enum(SENT_TYPES.filter((type) => groupOf(type) === group)),
    data: dataOf(group, data),
  });

/**
 * Describes the requests that endpoints receive, for OpenAPI. `data` has the schema of each event group's data, by the
 * first word of the type.
 */
export const describeRequests = (data: Readonly<Record<string, TObject>>): DescribedRequests => {
  const groups = [...new Set(SENT_TYPES.map(groupOf))];
  const known: Readonly<Record<string, TObject>> = { provider: Received, ...data };
  const nameOf = (group: string): string => `${toPascal(group)}Event`;
  const webhookOf = (type: EventType) => ({
    post: {
      operationId: `on${toPascal(type)}`,
      ...{ tags: ['events'], summary: SUMMARIES[type], security: [], responses },
      description: 'Sent to the endpoints that want it, and signed. `GET /api/events` lists the same events.',
      parameters: Object.keys(parameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${nameOf(groupOf(type))}` } } },
      },
    },
  });
  return {
    webhooks: Object.fromEntries(SENT_TYPES.map((type) => [type, webhookOf(type)])),
    schemas: Object.fromEntries(groups.map((group) => [nameOf(group), schemaOf(group, known[group])])),
    parameters,
  };
};
