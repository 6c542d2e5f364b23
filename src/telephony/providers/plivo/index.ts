import { headerOf } from '../../contract/delivery.ts';
import { toParty } from '../../contract/party.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { paramsOf } from '../../markup/params.ts';
import { AUTH_ID } from './grammar.ts';
import { mediaOf, removalOf } from './media.ts';
import { acknowledge, occasionOf, RETRY, renderPlivo } from './reply.ts';
import { keyOf, reportPlivo } from './report.ts';
import { sampleNotice } from './sample-notice.ts';
import { verifyPlivo } from './verify.ts';

const HEADERS = ['v3', 'ma-v3', 'v2', 'ma-v2'].map((version) => `x-plivo-signature-${version}`);
const PARAMS = ['CallUUID', 'DialALegUUID', 'RecordingID'];

/** Plivo: form or query params, V3 signatures (HMAC-SHA256) with the account's auth token, Plivo XML. */
export const plivo: TelephonyProvider = {
  id: 'plivo',
  name: 'Plivo',
  rules: {
    accountId: {
      label: 'Auth ID',
      pattern: AUTH_ID,
      hint: 'the Auth ID: MA (or SA of a subaccount) and 18 letters and digits',
    },
    secret: { label: 'Auth Token', pattern: /^\S{8,128}$/, hint: 'the Auth Token of the same account' },
    api: {},
  },
  challenge: null,
  recognizes: (delivery) =>
    HEADERS.some((name) => headerOf(delivery, name) !== null) || PARAMS.some((name) => paramsOf(delivery).has(name)),
  accountIdOf: (delivery) => paramsOf(delivery).get('ParentAuthID') || paramsOf(delivery).get('AuthID') || null,
  verify: verifyPlivo,
  keyOf,
  report: reportPlivo,
  occasionOf,
  calledParty: (delivery) => toParty(paramsOf(delivery).get('To')),
  render: renderPlivo,
  acknowledge,
  advise: ({ voice, recording }) => ({
    voiceUrl: `${voice}${RETRY}`,
    statusUrl: `${voice}&step=status${RETRY}`,
    recordingUrl: `${recording}${RETRY}`,
    notes: [
      'Voice → Applications → XML: the voice address is the Primary Answer URL and the Fallback Answer URL, by POST.',
      'The status address is the Hangup URL, by POST: without it no call ever ends here.',
      'Phone Numbers → the number: Application Type "XML Application", and the application.',
      'The recording address is handed out with each answer and pasted nowhere.',
      'The secret is the Auth Token of the account whose Auth ID is given.',
    ],
  }),
  mediaOf,
  removalOf,
  sampleNotice,
};
