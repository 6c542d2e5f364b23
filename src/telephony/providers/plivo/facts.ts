import { hash } from 'node:crypto';
import type { CallEnds, DeliveryFacts } from '../../contract/call-fact.ts';
import { type Delivery, stepOf } from '../../contract/delivery.ts';
import { toParty } from '../../contract/party.ts';
import { type MarkupParams, paramsOf } from '../../markup/params.ts';
import { announcedBy, partOfCall } from '../../provider-parts/facts.ts';
import { callKeyOf, eventsOf } from './events.ts';
import { recordingsOf, transcriptsOf } from './recording.ts';

const callOf = (params: MarkupParams): CallEnds | null => {
  const callKey = callKeyOf(params);
  if (callKey === null) return null;
  if (params.get('CallUUID') !== callKey) return partOfCall(callKey);
  const direction = params.get('Direction');
  return {
    callKey,
    direction: direction === undefined ? null : direction === 'outbound' ? 'outbound' : 'inbound',
    from: params.has('From') ? toParty(params.get('From')) : null,
    to: params.has('To') ? toParty(params.get('To')) : null,
  };
};

/**
 * Makes the key from signed content that stays the same. `SessionStart` is left out, because it differs between
 * deliveries of one call.
 */
export const keyOf = (delivery: Delivery): string => {
  const said = [...paramsOf(delivery)].filter(([name]) => name !== 'SessionStart').sort();
  return hash('sha256', [delivery.route, stepOf(delivery) ?? '', ...said.flat()].join('\u0000'), 'hex');
};

export const factsOf = (delivery: Delivery, receivedAt: number): DeliveryFacts => {
  const params = paramsOf(delivery);
  const step = stepOf(delivery);
  const transcripts = transcriptsOf(params);
  if (transcripts.length > 0) {
    const [{ callKey } = { callKey: null }] = transcripts;
    const call = callKey === null ? null : partOfCall(callKey);
    return { call, events: [], recordings: transcripts.map(announcedBy), transcripts };
  }
  // A request for the screening prompt isn't assigned to a call. The docs don't say whether it has the caller's id or
  // the dialed person's.
  const call = step === 'screen' ? null : callOf(params);
  return {
    call,
    events: call ? eventsOf(params, { route: delivery.route, step }, receivedAt) : [],
    recordings: recordingsOf(params, { route: delivery.route, callKey: call?.callKey ?? null }),
  };
};
