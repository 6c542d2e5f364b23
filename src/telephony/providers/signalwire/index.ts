import { randomBytes, randomUUID } from 'node:crypto';
import { headerOf } from '../../contract/delivery.ts';
import { toParty } from '../../contract/party.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { keyOfMarkup } from '../../markup/facts.ts';
import { paramsOf } from '../../markup/params.ts';
import { acknowledge } from '../../markup/reply.ts';
import { sampleMarkup } from '../../markup/sample-notice.ts';
import { signMarkup, tellMarkup } from '../../markup/simulate.ts';
import { resourceOf } from './media.ts';
import { factsOf, occasionOf, render } from './screening.ts';
import { DIALECT, verify } from './verify.ts';

const SIGNATURE = 'x-signalwire-signature';

const toUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');

/** SignalWire: cXML, the shared markup with ids of its own, HMAC-SHA1 with the project's Signing Key. */
export const signalwire: TelephonyProvider = {
  id: 'signalwire',
  name: 'SignalWire',
  rules: {
    accountId: { label: 'Project ID', pattern: DIALECT.ids.AccountSid, hint: 'the Project ID, a UUID' },
    secret: {
      label: 'Signing Key',
      pattern: /^\S{8,128}$/,
      hint: "the project's Signing Key (PSK_…), not an API token",
    },
    api: {
      space: {
        label: 'Space',
        pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i,
        hint: 'the name of your space, like `example` in example.signalwire.com',
        input: 'text',
      },
      token: {
        label: 'API token',
        pattern: /^\S{8,128}$/,
        hint: 'an API token with the Voice scope (PT…), for fetching recordings',
      },
    },
  },
  challenge: null,
  recognizes: (delivery) => {
    const params = paramsOf(delivery);
    const account = params.get('AccountSid');
    if (account === undefined) return headerOf(delivery, SIGNATURE) !== null;
    return DIALECT.ids.AccountSid.test(account) && DIALECT.ids.CallSid.test(params.get('CallSid') ?? account);
  },
  accountIdOf: (delivery) => paramsOf(delivery).get('AccountSid') ?? null,
  verify,
  keyOf: keyOfMarkup,
  factsOf,
  occasionOf,
  calledParty: (delivery) => toParty(paramsOf(delivery).get('To')),
  render,
  acknowledge,
  advise: ({ voice, recording }) => ({
    voiceUrl: voice,
    statusUrl: `${voice}&step=status`,
    recordingUrl: recording,
    notes: [
      'Go to Phone Numbers → your number → Edit Settings. Accept incoming calls as voice calls, handle them with LaML webhooks, and set "When a call comes in" to the voice URL, with POST.',
      "Set the number's status change webhook to the status URL, with POST.",
      "The secret is the Signing Key on the project's API Credentials page. A reset takes about a minute to take effect, so add the new key first and remove the old one later.",
      "To fetch recordings, add one of the project's API tokens and the name of the space.",
    ],
  }),
  mediaOf: resourceOf('.mp3'),
  removalOf: resourceOf('.json'),
  sampleNotice: sampleMarkup(SIGNATURE, toUuid('0'.repeat(32))),
  simulator: {
    newAccountId: randomUUID,
    newSecret: () => `PSK_${randomBytes(16).toString('hex')}`,
    api: { space: 'simulated', token: 'PT-simulated' },
    tell: tellMarkup({ call: toUuid, recording: toUuid }),
    sign: signMarkup(SIGNATURE),
  },
};
