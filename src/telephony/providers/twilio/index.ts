import { headerOf } from '../../delivery.ts';
import { toParty } from '../../party.ts';
import type { TelephonyProvider } from '../../provider.ts';
import { paramsOf } from './params.ts';
import { acknowledge, occasionOf, renderTwiml } from './reply.ts';
import { reportTwilio } from './report.ts';
import { verifyTwilio } from './verify.ts';

/** Without it a 5xx is not tried again (docs: "Webhooks connection overrides"; seen November 2026). */
const RETRY = '#rc=3&rp=5xx,ct,rt';

/** Twilio: form or query params, HMAC-SHA1 with the account's auth token, TwiML. */
export const twilio: TelephonyProvider = {
  id: 'twilio',
  name: 'Twilio',
  recognizes(delivery) {
    const params = paramsOf(delivery);
    return headerOf(delivery, 'x-twilio-signature') !== null || /^AC/.test(params.get('AccountSid') ?? '');
  },
  accountIdOf: (delivery) => paramsOf(delivery).get('AccountSid') ?? null,
  verify: verifyTwilio,
  report: reportTwilio,
  occasionOf,
  calledParty: (delivery) => toParty(paramsOf(delivery).get('To')),
  render: renderTwiml,
  acknowledge,
  advise: ({ voice, recording }) => ({
    voiceUrl: `${voice}${RETRY}`,
    statusUrl: `${voice}&step=status${RETRY}`,
    recordingUrl: `${recording}${RETRY}`,
    notes: [
      'Phone Numbers → the number → Voice: "A call comes in" takes the voice address, by HTTP POST.',
      '"Call status changes" takes the status address, by HTTP POST.',
      'The secret is the primary auth token of the account that owns the number; an API key does not verify.',
    ],
  }),
};
