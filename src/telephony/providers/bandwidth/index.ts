import { toParty } from '../../contract/party.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { adviseWith } from '../../contract/webhook-url.ts';
import { acknowledgeWith } from '../../provider-parts/reply.ts';
import { textOf } from '../../provider-parts/values.ts';
import { factsOf, keyOf } from './facts.ts';
import { fieldsOf } from './fields.ts';
import { mediaOf, removalOf, transcripts } from './media.ts';
import { occasionOf, render } from './reply.ts';
import { sampleNotice, verify } from './verify.ts';
import { BANDWIDTH_VOICES } from './voices.ts';

/** Bandwidth: JSON, HTTP Basic instead of signatures, BXML. */
export const bandwidth: TelephonyProvider = {
  id: 'bandwidth',
  name: 'Bandwidth',
  languages: BANDWIDTH_VOICES,
  transcribes: true,
  rules: {
    accountId: {
      label: 'Account ID',
      pattern: /^\d{1,16}$/,
      hint: 'digits only, as shown in the Bandwidth App',
    },
    secret: {
      label: 'Callback user and password',
      pattern: /^[\x21-\x39\x3b-\x7e]{1,64}:[\x21-\x7e]{24,128}$/,
      hint: 'a name, a colon, and a random password of 24 or more characters. You make both up, and enter them as callback user ID and password of the voice application in the Bandwidth App',
    },
    api: {
      clientId: {
        label: 'Client ID',
        pattern: /^[\x21-\x39\x3b-\x7e]{1,200}$/,
        hint: 'up to 200 characters without spaces, as shown under Account → API Credentials in the Bandwidth App. The credential needs a voice role',
        input: 'text',
      },
      clientSecret: {
        label: 'Client secret',
        pattern: /^[\x21-\x7e]{8,400}$/,
        hint: '8 to 400 characters without spaces. It belongs to the client ID under Account → API Credentials in the Bandwidth App',
      },
    },
    apiUse: "Needed to fetch recordings. Without it, they're listed here but can't be played.",
  },
  challenge: 'Basic realm="Patchbay"',
  recognizes: (delivery) => {
    const fields = fieldsOf(delivery);
    return (
      textOf(fields, 'eventType') !== null && ['callId', 'accountId'].some((name) => textOf(fields, name) !== null)
    );
  },
  accountIdOf: (delivery) => textOf(fieldsOf(delivery), 'accountId'),
  verify,
  keyOf,
  factsOf,
  occasionOf,
  calledParty: (delivery) => toParty(textOf(fieldsOf(delivery), 'to')),
  render,
  acknowledge: acknowledgeWith(204),
  advise: adviseWith([
    'In your voice application, set "Call initiated" to the voice URL and "Call status" to the status URL, both with POST.',
    'The callback user ID and password are the two halves of the secret.',
    "Bandwidth doesn't sign its requests, so only the password protects these URLs. Use https and a long, random password.",
    "Don't paste the recording URL anywhere. Every reply includes it.",
  ]),
  mediaOf,
  removalOf,
  transcripts,
  sampleNotice,
};
