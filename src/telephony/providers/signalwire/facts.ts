import { stepOf } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { factsOfMarkup, factsOfParams } from '../../markup/facts.ts';
import { paramsOf } from '../../markup/params.ts';
import { bridgedEvent, isSurelyReached } from '../../markup/screening.ts';

/**
 * Reads what a delivery says. If a key press was required, the end of forwarding doesn't say whether it happened,
 * because SignalWire has no `DialBridged` (docs, "Dial"; seen November 2026). The key press is reported on the dialed
 * leg.
 */
export const factsOf: TelephonyProvider['factsOf'] = (delivery, receivedAt) => {
  const step = stepOf(delivery);
  if (step !== 'screen' && step !== 'screened') return factsOfMarkup(delivery, receivedAt);
  const params = paramsOf(delivery);
  const facts = factsOfParams(params, { step, receivedAt, reached: isSurelyReached(params) });
  if (params.has('DialCallStatus')) return facts;
  // A dialed leg that doesn't name the caller's leg is left out, because it would become a separate call.
  if (!params.get('ParentCallSid')) return { ...facts, call: null, events: [] };
  const isPressed = step === 'screened' && (params.get('Digits') ?? '') !== '';
  return isPressed ? { ...facts, events: [...facts.events, bridgedEvent(params, receivedAt)] } : facts;
};
