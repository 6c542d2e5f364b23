import { toParty } from '../../contract/party.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { adviseWith } from '../../contract/webhook-url.ts';
import { acknowledgeWith } from '../../provider-parts/reply.ts';
import { UUID } from '../../provider-parts/values.ts';
import { factsOf, keyOf } from './facts.ts';
import { callKeyOf, fieldsOf, isAboutCall, isDialedLeg, textOrNumberOf } from './fields.ts';
import { mediaOf, transcripts } from './media.ts';
import { occasionOf, render } from './reply.ts';
import { readToken } from './token.ts';
import { sampleNotice, verify } from './verify.ts';
import { VONAGE_VOICES } from './voices.ts';

/** Vonage Voice API: JSON, a JWT with the account's signature secret, NCCO. */
export const vonage: TelephonyProvider = {
  id: 'vonage',
  name: 'Vonage',
  languages: VONAGE_VOICES,
  transcribes: true,
  rules: {
    accountId: {
      label: 'API key',
      pattern: new RegExp(`^[0-9a-z]{6,16}$|${UUID.source}`, 'i'),
      hint: '8 letters and digits, as shown under API Settings in the Vonage dashboard',
    },
    secret: {
      label: 'Signature secret',
      pattern: /^\S{8,256}$/,
      hint: "8 to 256 characters without spaces, as set under API Settings in the Vonage dashboard. The API secret doesn't work here",
    },
    api: {
      applicationId: {
        label: 'Application ID',
        pattern: UUID,
        hint: '36 characters, like 01234567-89ab-cdef-0123-456789abcdef, as shown under Applications in the Vonage dashboard',
        input: 'text',
      },
      privateKey: {
        label: 'Private key',
        pattern: /^\s*-----BEGIN (?:RSA )?PRIVATE KEY-----[\s\S]+-----END (?:RSA )?PRIVATE KEY-----\s*$/,
        hint: 'everything in the file that you got when you generated the key pair of the application, including the lines with BEGIN and END',
        input: 'lines',
      },
    },
    apiUse: "Needed to fetch recordings. Without it, they're listed here but can't be played.",
  },
  challenge: null,
  // A delivery from `notify` doesn't always name a call. Then it's recognized by its token.
  recognizes: (delivery) => {
    const fields = fieldsOf(delivery);
    return callKeyOf(fields) !== null || (isAboutCall(fields) && readToken(delivery)?.claims['iss'] === 'Vonage');
  },
  accountIdOf: (delivery) => {
    const token = readToken(delivery);
    return token && textOrNumberOf(token.claims, 'api_key');
  },
  verify,
  keyOf,
  factsOf,
  occasionOf,
  calledParty: (delivery) => {
    const fields = fieldsOf(delivery);
    return toParty(isDialedLeg(delivery, fields) ? null : textOrNumberOf(fields, 'to'));
  },
  render,
  acknowledge: acknowledgeWith(204),
  advise: adviseWith([
    "Go to Applications → your application → Voice. Set the Answer URL to the voice URL and choose POST, because Vonage doesn't sign the contents of a GET.",
    'Set the Event URL to the status URL, with POST. Link your number to this application.',
    'Turn on "Use signed webhooks". The secret is the signature secret under API Settings.',
    "Don't paste the recording URL anywhere. Every reply includes it.",
    'If a number forwards to several phones, only the first one rings.',
  ]),
  mediaOf,
  // Vonage deletes recordings itself after 30 days (docs: "Recording"; seen November 2026).
  removalOf: () => null,
  transcripts,
  sampleNotice,
};
