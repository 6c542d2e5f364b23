import { toParty } from '../../contract/party.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { fieldsOf, textOf } from './fields.ts';
import { mediaOf, removalOf } from './media.ts';
import { occasionOf, renderBxml } from './reply.ts';
import { keyOf, reportEvent } from './report.ts';
import { sampleNotice } from './sample-notice.ts';
import { verifyBasic } from './verify.ts';

/** Bandwidth: JSON, a name and password by HTTP Basic and no signature, BXML. */
export const bandwidth: TelephonyProvider = {
  id: 'bandwidth',
  name: 'Bandwidth',
  rules: {
    accountId: {
      label: 'Account id',
      pattern: /^\d{1,16}$/,
      hint: 'the account id: digits, as shown in the Bandwidth App',
    },
    secret: {
      label: 'Callback user and password',
      pattern: /^[\x21-\x39\x3b-\x7e]{1,64}:[\x21-\x7e]{24,128}$/,
      hint: "user:password, as set at the voice application's callbacks; the password long and random, 24 characters or more",
    },
    api: {
      clientId: {
        label: 'Client id',
        pattern: /^[\x21-\x39\x3b-\x7e]{1,200}$/,
        hint: 'the client id of an API credential that may read recordings',
        input: 'text',
      },
      clientSecret: { label: 'Client secret', pattern: /^[\x21-\x7e]{8,400}$/, hint: 'its client secret' },
    },
  },
  challenge: 'Basic realm="Patchbay"',
  recognizes: (delivery) => {
    const fields = fieldsOf(delivery);
    return (
      textOf(fields, 'eventType') !== null && ['callId', 'accountId'].some((name) => textOf(fields, name) !== null)
    );
  },
  accountIdOf: (delivery) => textOf(fieldsOf(delivery), 'accountId'),
  verify: verifyBasic,
  keyOf,
  report: reportEvent,
  occasionOf,
  calledParty: (delivery) => toParty(textOf(fieldsOf(delivery), 'to')),
  render: renderBxml,
  acknowledge: () => ({ status: 204, contentType: null, body: '' }),
  advise: ({ voice, recording }) => ({
    voiceUrl: voice,
    statusUrl: `${voice}&step=status`,
    recordingUrl: recording,
    notes: [
      'Voice application: "Call initiated" takes the voice address and "Call status" the status address, both by POST.',
      'Callback user id and password: the two halves of the secret.',
      'Nothing is signed, and only the password protects these addresses: use https, and a long random one.',
      'The recording address is pasted nowhere: each reply names it.',
    ],
  }),
  mediaOf,
  removalOf,
  sampleNotice,
};
