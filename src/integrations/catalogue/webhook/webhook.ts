import type { Static } from 'typebox';
import { Type } from '../../../platform/index.ts';
import { Name, Path, strict, Text } from '../entry-fields.ts';
import { Signature } from './signature.ts';
import { Template, Templates } from './template.ts';

const Paths = Type.Array(Path, { minItems: 1, maxItems: 10 });

const MIB = 1024 * 1024;

/** A message that checks whether our URL responds, or brings the secret. It's no event. */
const Handshake = Type.Object(
  {
    method: Type.Optional(Type.Enum(['GET', 'POST'])),
    /** Where a message has to have which value to be this handshake. An empty value stands for any. */
    when: Type.Record(Template, Type.String(), { ...strict, minProperties: 1 }),
    /** Whether the message is signed like any other. If it isn't, the response must not reveal anything. */
    signed: Type.Optional(Type.Boolean()),
    /** Where the message brings the secret with which later messages are signed. */
    secret: Type.Optional(Template),
    /**
     * The response: text, or JSON whose values are templates. `{hmac-hex:<place>}` and `{hmac-base64:<place>}` stand for
     * the HMAC-SHA256 of the value there, keyed with our secret.
     */
    answer: Type.Optional(
      Type.Union([
        Type.Object({ text: Text }, strict),
        Type.Object({ json: Type.Record(Type.String(), Text) }, strict),
      ]),
    ),
    /** Headers of the response. Their values are templates. */
    headers: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z0-9-]{1,80}$' }), Text)),
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

/** Who receives a provider's webhooks: the operator's address, once for its OAuth app, or an address of a team's own. */
const Receiver = Type.Object(
  {
    /** Where the address is pasted at the provider, and where the secret comes from. Sentences. */
    about: Text,
  },
  strict,
);

/** How the provider sends webhooks: how it signs and repeats them, what they are about, and whose account it is. */
export const Webhook = Type.Object(
  {
    operator: Type.Optional(Receiver),
    team: Type.Optional(Receiver),
    /** How a person gets a test message sent. Sentences. */
    test: Type.Optional(Text),
    /** Ways to sign. The first one that a message has a place for counts. Empty if nothing shows who sent a message. */
    signatures: Type.Array(Signature, { maxItems: 3 }),
    /** The secret is the OAuth client's secret. Other secrets that are set count as well. */
    secretOf: Type.Optional(Type.Literal('client')),
    handshakes: Type.Optional(Type.Array(Handshake, { maxItems: 5 })),
    /** Whether messages can be forms. Otherwise, they are JSON. */
    form: Type.Optional(Type.Literal(true)),
    /** The field of a form that has the message as JSON. Without it, the form's fields are the message. */
    jsonField: Type.Optional(Text),
    /** The path of the list of items, if one message has several. The path is empty if the message is the list. */
    items: Type.Optional(Type.String({ maxLength: 200 })),
    type: Templates,
    id: Type.Optional(Templates),
    /** How a repeated message is recognized. `digest`: by its body. `never`: equal messages are different events. */
    repeats: Type.Enum(['id', 'digest', 'never']),
    /** Messages or items that are signs of life and not events: a template → its values. An empty value stands for any. */
    quiet: Type.Optional(Type.Record(Template, Type.Array(Type.String(), { minItems: 1 }))),
    /** Whom an item is about. */
    about: Type.Object(
      {
        /** The connected account, as `identity.id` has it. A list there names several. */
        account: Type.Optional(Templates),
        /** The company, workspace, or site, as `identity.installation` has it. */
        installation: Type.Optional(Templates),
        /** The host that issues the account's tokens, if each account has its own. */
        host: Type.Optional(Templates),
        /** A message names nobody if it has one of these values there, because it may be for one person only. */
        unless: Type.Optional(Type.Record(Template, Type.Array(Type.String(), { minItems: 1 }))),
      },
      strict,
    ),
    withdrawn: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Withdrawal, { minProperties: 1 }),
    ),
    /** The status for an invalid signature, if the provider wants this one. Default: 403. */
    refusedWith: Type.Optional(Type.Literal(401)),
    /** The largest body. Default: 256 KiB. */
    mostBytes: Type.Optional(Type.Integer({ minimum: 256 * 1024, maximum: 25 * MIB })),
  },
  strict,
);

export type Webhook = Static<typeof Webhook>;
export type Handshake = Static<typeof Handshake>;
export type WithdrawalRule = Static<typeof Withdrawal>;

/** The operator's webhook URL to register at the provider. Some providers include the URL in their signature. */
export const webhookUrlOf = (url: string, provider: string): string => `${url}/api/webhooks/integrations/${provider}`;
