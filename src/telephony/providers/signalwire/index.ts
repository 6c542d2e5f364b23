import { randomBytes, randomUUID } from 'node:crypto';
import { headerOf } from '../../contract/delivery.ts';
import { toParty } from '../../contract/party.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { paramsOf } from '../../markup/params.ts';
import { acknowledge } from '../../markup/reply.ts';
import { keyOfMarkup } from '../../markup/report.ts';
import { sampleMarkup } from '../../markup/sample-notice.ts';
import { signMarkup, tellMarkup } from '../../markup/simulate.ts';
import { resourceOf } from './media.ts';
import { occasionOf, render, report } from './screening.ts';
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
      hint: "the project's Signing Key (PSK_…); an API token does not verify",
    },
    api: {
      space: {
        label: 'Space',
        pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i,
        hint: 'the name of the space: `example` of example.signalwire.com',
        input: 'text',
      },
      token: {
        label: 'API token',
        pattern: /^\S{8,128}$/,
        hint: 'an API token with the Voice scope (PT…), which fetches recordings',
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
  report,
  occasionOf,
  calledParty: (delivery) => toParty(paramsOf(delivery).get('To')),
  render,
  acknowledge,
  advise: ({ voice, recording }) => ({
    voiceUrl: voice,
    statusUrl: `${voice}&step=status`,
    recordingUrl: recording,
    notes: [
      'Phone Numbers → the number → Edit Settings: accept incoming calls as voice calls, handle them with LaML webhooks, "When a call comes in" takes the voice address, by POST.',
      'The status address goes to the status change webhook of the number, by POST.',
      'The secret is the Signing Key on the page API Credentials of the project. After a reset it takes about a minute to be in use: add the new one first, remove the old one later.',
      'Recordings are fetched with an API token of the project and the name of the space.',
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
