import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import { Name, Path, strict, Text } from './entry-fields.ts';
import { placeholdersIn } from './placeholders.ts';

const Header = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,79}$',
  description: 'a header name in lowercase, like x-signature',
});

const Paths = Type.Array(Path, { minItems: 1, maxItems: 10 });

/** An HMAC-SHA256, keyed with the webhook secret that the operator has set. */
const Signature = Type.Object(
  {
    header: Header,
    /** The text before the signature in the header. */
    prefix: Type.Optional(Text),
    encoding: Type.Enum(['hex', 'base64']),
    /** The text that is signed, with {body}, {url} (the URL that the message was sent to) and {timestamp}. */
    signed: Text,
    /** The header with the time of signing, in seconds since 1970, and how far that time may be from now. */
    timestamp: Type.Optional(
      Type.Object({ header: Header, toleranceSeconds: Type.Integer({ minimum: 1, maximum: 3_600 }) }, strict),
    ),
  },
  strict,
);

/** An event which says that access was withdrawn. */
const Withdrawal = Type.Object(
  {
    /** The path of the account's ID. The ID is the same as `identity.id`. */
    account: Path,
    /** Paths of the withdrawal's time, in seconds, milliseconds or ISO 8601. The first path with a value is used. */
    at: Paths,
    /**
     * Limits the event to some connections: the name of a value kept with the connection → paths in the message. The
     * kept value must be at one of those paths, or in a list there.
     */
    only: Type.Optional(Type.Record(Name, Paths, strict)),
  },
  strict,
);

/** How the provider tells us that access was withdrawn: with JSON that it sends to our webhook URL. */
export const Webhook = Type.Object(
  {
    /** Null if the messages aren't signed. Unsigned messages can't be accepted yet. */
    signature: Type.Union([Signature, Type.Null()]),
    /** Paths of the event's name. The first path with a value is used. */
    event: Paths,
    /** An event that only tests whether our URL responds. The response repeats the message's field `echo`. */
    challenge: Type.Optional(Type.Object({ event: Text, echo: Name }, strict)),
    withdrawn: Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Withdrawal),
  },
  strict,
);

export type Webhook = Static<typeof Webhook>;
export type MessageSignature = Static<typeof Signature>;

/** The webhook URL to register at the provider. Some providers include the URL in their signature. */
export const webhookUrlOf = (url: string, provider: string): string => `${url}/api/webhooks/integrations/${provider}`;

const SIGNABLE = new Set(['body', 'url', 'timestamp']);

/** Finds flaws in a signature. One that doesn't cover the body is valid for any message. */
const findSignatureFlaws = ({ signed, timestamp }: MessageSignature): string[] => {
  const used = placeholdersIn(signed);
  return [
    ...used.filter((name) => !SIGNABLE.has(name)).map((name) => `signed uses {${name}}, which no message has`),
    ...(used.includes('body') ? [] : ['signed must contain {body}']),
    ...(timestamp && !used.includes('timestamp') ? ['signed must contain {timestamp}'] : []),
    ...(!timestamp && used.includes('timestamp') ? ['timestamp is missing, but signed contains it'] : []),
  ].map((flaw) => `/webhook/signature/${flaw}`);
};

/**
 * Finds flaws in a webhook. Its messages are matched to connections by stored values: the account's ID and kept values.
 */
export const findWebhookFlaws = (
  { signature, challenge, withdrawn }: Webhook,
  { kept, hasIdentity }: { kept: ReadonlySet<string>; hasIdentity: boolean },
): string[] => {
  const unknown = Object.entries(withdrawn).flatMap(([event, { only = {} }]) =>
    Object.keys(only)
      .filter((name) => !kept.has(name))
      .map((name) => `/webhook/withdrawn/${event}/only/${name} is neither a param nor kept`),
  );
  return [
    ...(signature ? findSignatureFlaws(signature) : []),
    ...unknown,
    ...(Object.keys(withdrawn).length > 0 ? [] : ['/webhook/withdrawn names no event']),
    ...(hasIdentity ? [] : ['/webhook needs /identity, which says whose account it is']),
    ...(challenge && Object.hasOwn(withdrawn, challenge.event)
      ? ['/webhook/challenge/event is also in /webhook/withdrawn']
      : []),
  ];
};
