import type { CallEvent, DeliveryFacts } from '../../contract/call-event.ts';
import { stepOf } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { factsOfMarkup } from '../../markup/facts.ts';
import { type Params, paramsOf } from '../../markup/params.ts';
import { occasionOf as markupOccasionOf, renderMarkup } from '../../markup/reply.ts';

/** Our screening hangs up long before. A person answered a leg that lasted longer. */
const SURELY_TAKEN_SECONDS = 60;

/**
 * If a key press was required, the end of forwarding doesn't say whether it happened: there is no `DialBridged` here
 * (docs, "Dial"; seen November 2026). The key press is reported on the dialed leg.
 */
const isReached = (params: Params): boolean =>
  (params.get('DialCallStatus') === 'completed' || params.get('DialCallStatus') === 'answered') &&
  (params.get('DialBridged') === 'true' || Number(params.get('DialCallDuration')) > SURELY_TAKEN_SECONDS);

const bridgedEvents = (params: Params, receivedAt: number): CallEvent[] => {
  const legId = params.get('CallSid') ?? '';
  return (params.get('Digits') ?? '') === ''
    ? []
    : [{ key: `${legId} bridged`, kind: 'bridged', occurredAt: receivedAt, timeFrom: 'received', legId }];
};

export const factsOf: TelephonyProvider['factsOf'] = (delivery, receivedAt): DeliveryFacts => {
  const told = factsOfMarkup(delivery, receivedAt);
  const params = paramsOf(delivery);
  const step = stepOf(delivery);
  if (step !== 'screen' && step !== 'screened') return told;
  if (params.has('DialCallStatus')) {
    const isSure = isReached(params);
    const events = told.events.map((event) =>
      event.reachedHuman === undefined ? event : { ...event, reachedHuman: isSure },
    );
    return { ...told, events };
  }
  // A dialed leg that doesn't name the caller's would look like a separate call.
  if (!params.get('ParentCallSid')) return { ...told, call: null, events: [] };
  return step === 'screen' ? told : { ...told, events: [...told.events, ...bridgedEvents(params, receivedAt)] };
};

export const occasionOf: TelephonyProvider['occasionOf'] = (delivery) => {
  const params = paramsOf(delivery);
  return delivery.route === 'voice' && stepOf(delivery) === 'screened' && params.has('DialCallStatus')
    ? { kind: 'after_dial', reached: isReached(params) }
    : markupOccasionOf(delivery);
};

/** Screened forwarding comes back to its own step. */
export const render: TelephonyProvider['render'] = (plan, context) => {
  const isScreened = plan.some((verb) => verb.verb === 'dial' && verb.screen);
  return renderMarkup(plan, {
    ...context,
    stepUrl: (step) => context.stepUrl(isScreened && step === 'dialed' ? 'screened' : step),
  });
};
