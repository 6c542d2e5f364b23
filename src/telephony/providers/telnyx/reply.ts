import { stepOf } from '../../contract/delivery.ts';
import type { ReplyDocument, TelephonyProvider } from '../../contract/provider.ts';
import { paramsOf } from '../../markup/params.ts';
import { occasionOf as markupOccasionOf, renderMarkup } from '../../markup/reply.ts';
import { isReached } from './form-facts.ts';
import { eventOf } from './payload.ts';

/** Call Control uses commands instead of documents, so its events never get one. */
export const occasionOf: TelephonyProvider['occasionOf'] = (delivery) => {
  if (eventOf(delivery)) return { kind: 'nothing' };
  const params = paramsOf(delivery);
  return delivery.route === 'voice' && stepOf(delivery) === 'screened' && params.has('DialCallStatus')
    ? { kind: 'after_dial', reached: isReached(params, true) }
    : markupOccasionOf(delivery);
};

/** Screened forwarding comes back to its own step, because its end doesn't say whether the key was pressed. */
export const render: TelephonyProvider['render'] = (plan, context) => {
  const isScreened = plan.some((verb) => verb.verb === 'dial' && verb.screen);
  return renderMarkup(plan, {
    ...context,
    stepUrl: (step) => context.stepUrl(isScreened && step === 'dialed' ? 'screened' : step),
  });
};

/** Anything but a 200 is retried at the failover URL (docs, "TeXML recording completed"; seen November 2026). */
export const acknowledge = (): ReplyDocument => ({ status: 200, contentType: null, body: '' });
