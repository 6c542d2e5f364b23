import { headerOf } from '../../contract/delivery.ts';
import { toParty } from '../../contract/party.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { adviseWith } from '../../contract/webhook-url.ts';
import { paramsOf } from '../../markup/params.ts';
import { acknowledgeWith } from '../../provider-parts/reply.ts';
import { factsOf, keyOf } from './facts.ts';
import { AUTH_ID } from './grammar.ts';
import { mediaOf, removalOf } from './media.ts';
import { occasionOf, RETRY, render } from './reply.ts';
import { sampleNotice, verify } from './verify.ts';
import { PLIVO_VOICES } from './voices.ts';

const HEADERS = ['v3', 'ma-v3', 'v2', 'ma-v2'].map((version) => `x-plivo-signature-${version}`);
const PARAMS = ['CallUUID', 'DialALegUUID', 'RecordingID', 'transcription_rate'];

/** Plivo: form or query params, V3 signatures (HMAC-SHA256) with the account's auth token, Plivo XML. */
export const plivo: TelephonyProvider = {
  id: 'plivo',
  name: 'Plivo',
  languages: PLIVO_VOICES,
  transcribes: true,
  rules: {
    accountId: {
      label: 'Auth ID',
      pattern: AUTH_ID,
      hint: 'MA (SA for a subaccount) followed by 18 letters and digits, as shown on the overview page of the Plivo console',
    },
    secret: {
      label: 'Auth Token',
      pattern: /^\S{8,128}$/,
      hint: '8 to 128 characters without spaces, as shown next to the Auth ID on the overview page of the Plivo console',
    },
    api: {},
  },
  challenge: null,
  recognizes: (delivery) =>
    HEADERS.some((name) => headerOf(delivery, name) !== null) || PARAMS.some((name) => paramsOf(delivery).has(name)),
  accountIdOf: (delivery) => paramsOf(delivery).get('ParentAuthID') || paramsOf(delivery).get('AuthID') || null,
  verify,
  keyOf,
  factsOf,
  occasionOf,
  calledParty: (delivery) => toParty(paramsOf(delivery).get('To')),
  render,
  // Plivo retries unless it gets a 200 (docs: "Callback Configurations"; seen November 2026).
  acknowledge: acknowledgeWith(200),
  advise: adviseWith(
    [
      'Go to Voice → Applications → XML. Set the Primary Answer URL and the Fallback Answer URL to the voice URL, with POST.',
      'Set the Hangup URL to the status URL, with POST. Without it, calls never end here.',
      'Go to Phone Numbers → your number. Choose the Application Type "XML Application" and your application.',
      "Don't paste the recording URL anywhere. Every reply includes it.",
      'The secret is the Auth Token that belongs to the Auth ID.',
    ],
    RETRY,
  ),
  mediaOf,
  removalOf,
  sampleNotice,
};
