import type { CallFact } from '../contract/call-fact.ts';
import { stepOf } from '../contract/delivery.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import { happened } from '../provider-parts/facts.ts';
import { type MarkupParams, paramsOf } from './params.ts';
import { hasPickedUp, occasionOf, renderMarkup } from './reply.ts';

/** A leg that lasted longer than this was answered by a person, because our screening hangs up long before. */
const SURELY_TAKEN_SECONDS = 60;

/**
 * Whether a person certainly took a forwarded call. With screening, picking up isn't enough: the person also has to
 * press a key. Some providers don't report whether it was pressed, so this relies on the bridging or the duration.
 */
export const isSurelyReached = (params: MarkupParams): boolean =>
  hasPickedUp(params) &&
  (params.get('DialBridged') === 'true' || Number(params.get('DialCallDuration')) > SURELY_TAKEN_SECONDS);

export const occasionWithScreening: TelephonyProvider['occasionOf'] = (delivery) => {
  const params = paramsOf(delivery);
  return delivery.route === 'voice' && stepOf(delivery) === 'screened' && params.has('DialCallStatus')
    ? { kind: 'after_dial', reached: isSurelyReached(params) }
    : occasionOf(delivery);
};

export const screenWith =
  (render: TelephonyProvider['render']): TelephonyProvider['render'] =>
  (plan, context) => {
    const isScreened = plan.some((verb) => verb.verb === 'dial' && verb.screen);
    return render(plan, {
      ...context,
      stepUrl: (step) => context.stepUrl(isScreened && step === 'dialed' ? 'screened' : step),
    });
  };

export const renderWithScreening = screenWith(renderMarkup);

/** The key press, which is reported on the dialed leg. */
export const bridgedEvent = (params: MarkupParams, receivedAt: number): CallFact => {
  const legId = params.get('CallSid') ?? '';
  return { key: `${legId} bridged`, kind: 'bridged', ...happened(null, receivedAt), legId };
};
