import type { Static } from 'typebox';
import { Type } from '../../../platform/index.ts';
import { strict, Text } from '../entry-fields.ts';
import { Templates } from './template.ts';

/** When a message was signed, and how far that time may be from now. */
const Timestamp = Type.Object(
  {
    at: Templates,
    unit: Type.Enum(['seconds', 'milliseconds', 'iso']),
    toleranceSeconds: Type.Integer({ minimum: 1, maximum: 3_600 }),
  },
  strict,
);

/** One way in which a provider shows that a message is its own. */
export const Signature = Type.Object(
  {
    /** `token`: nothing is signed, and the secret itself is in the message. `jwt-hs256`: only the JWT is signed. */
    algorithm: Type.Enum(['hmac-sha256', 'hmac-sha1', 'ed25519', 'ecdsa-p256', 'jwt-hs256', 'token']),
    /** Where the signature is. Of several places, any may have a valid one. */
    at: Templates,
    /** The text before the signature. */
    prefix: Type.Optional(Text),
    /** The text there has several parts, like `t=1,v1=ab`. A signature is in each part with this name. */
    parts: Type.Optional(
      Type.Object(
        {
          between: Type.Enum([',', ';', ' ']),
          afterName: Type.Enum(['=', ',']),
          name: Text,
        },
        strict,
      ),
    ),
    encoding: Type.Optional(Type.Enum(['hex', 'base64'])),
    /** How the secret's text becomes a key: as it is, or decoded from base64, in both cases without its prefix. */
    secret: Type.Optional(Type.Object({ form: Type.Enum(['text', 'base64']), prefix: Type.Optional(Text) }, strict)),
    /**
     * The text that is signed. Besides places: {body} (all bytes of it), {url} (the URL that the message was sent to),
     * {method}, {timestamp} as it was sent, and {id} of the delivery.
     */
    signed: Type.Optional(Text),
    timestamp: Type.Optional(Timestamp),
    /** The claim of a JWT that has to be our URL. */
    audience: Type.Optional(Type.Literal('url')),
  },
  strict,
);

export type Signature = Static<typeof Signature>;
