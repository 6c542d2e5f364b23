import { randomBytes, randomUUID } from 'node:crypto';
import { headerOf } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { adviseWith } from '../../contract/webhook-url.ts';
import { speakMarkup } from '../../markup/markup.ts';
import { paramsOf } from '../../markup/params.ts';
import { occasionWithScreening, renderWithScreening } from '../../markup/screening.ts';
import { simulateMarkup } from '../../markup/simulate.ts';
import { UUID } from '../../provider-parts/values.ts';
import { factsOf } from './facts.ts';
import { resourceOf } from './media.ts';
import { DIALECT, verify } from './verify.ts';
import { SIGNALWIRE_VOICES } from './voices.ts';

/** SignalWire: cXML, the shared markup with its own ids, HMAC-SHA1 with the project's Signing Key. */
export const signalwire: TelephonyProvider = {
  ...speakMarkup(DIALECT),
  id: 'signalwire',
  name: 'SignalWire',
  languages: SIGNALWIRE_VOICES,
  transcribes: true,
  rules: {
    accountId: {
      label: 'Project ID',
      pattern: UUID,
      hint: '36 characters, like 01234567-89ab-cdef-0123-456789abcdef, as shown on the API Credentials page of your space',
    },
    secret: {
      label: 'Signing Key',
      pattern: /^\S{8,128}$/,
      hint: "8 to 128 characters without spaces that begin with PSK_, as shown on the API Credentials page of your space. An API token doesn't work here",
    },
    api: {
      space: {
        label: 'Space',
        pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i,
        hint: 'letters, digits, and hyphens: the first part of the address of your space, like example in example.signalwire.com',
        input: 'text',
      },
      token: {
        label: 'API token',
        pattern: /^\S{8,128}$/,
        hint: '8 to 128 characters without spaces that begin with PT, from the API Credentials page of your space. It needs the Voice scope',
      },
    },
    apiUse: "Needed to fetch recordings. Without it, they're listed here but can't be played.",
  },
  recognizes: (delivery) => {
    const params = paramsOf(delivery);
    const account = params.get('AccountSid');
    if (account === undefined) return headerOf(delivery, DIALECT.signatureHeaders[0]) !== null;
    return UUID.test(account) && UUID.test(params.get('CallSid') ?? account);
  },
  verify,
  factsOf,
  occasionOf: occasionWithScreening,
  render: renderWithScreening,
  advise: adviseWith([
    'Go to Phone Numbers → your number → Edit Settings. Accept incoming calls as voice calls, handle them with LaML webhooks, and set "When a call comes in" to the voice URL, with POST.',
    "Set the number's status change webhook to the status URL, with POST.",
    "The secret is the Signing Key on the project's API Credentials page. A reset takes about a minute to take effect, so add the new key first and remove the old one later.",
    "To fetch recordings, add one of the project's API tokens and the name of the space.",
  ]),
  mediaOf: resourceOf('.mp3'),
  removalOf: resourceOf('.json'),
  simulator: {
    ...simulateMarkup(DIALECT),
    newAccountId: randomUUID,
    newSecret: () => `PSK_${randomBytes(16).toString('hex')}`,
    api: { space: 'simulated', token: 'PT-simulated' },
  },
};
