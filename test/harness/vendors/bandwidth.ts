import type { Delivery } from '../../../src/telephony/contract/delivery.ts';
import { deliverJson, type Payload, readFixture, type Where } from './deliver.ts';

export const payloads = readFixture<Record<string, Payload>>('bandwidth', 'deliveries');

const DIALED: Where = { step: 'dialed' };

/** Where each one arrives, if the person dialed isn't asked for a key. */
export const ADDRESSES = {
  initiate: {},
  transferAnswer: { step: 'screen' },
  keyPressed: { step: 'screened' },
  noKeyPressed: { step: 'screened' },
  legTalked: DIALED,
  legRefused: DIALED,
  legTimedOut: DIALED,
  legBusy: DIALED,
  legCanceled: DIALED,
  otherLegCanceled: DIALED,
  transferOver: DIALED,
  transferRefused: DIALED,
  transferTimedOut: DIALED,
  recordComplete: { step: 'voicemail' },
  recordingAvailable: { route: 'recording', step: 'voicemail' },
  transcriptionAvailable: { route: 'recording' },
  disconnect: { step: 'status' },
  disconnectCanceled: { step: 'status' },
} satisfies Record<string, Where>;

export type Name = keyof typeof ADDRESSES;
export const NAMES = Object.keys(ADDRESSES) as Name[];

export const deliver = (name: Name, changes: Payload = {}, where: Where = ADDRESSES[name]): Delivery =>
  deliverJson({ ...payloads[name], ...changes }, where);

export const screened = (name: Name): Delivery => {
  const delivery = deliver(name);
  return { ...delivery, target: `${delivery.target}&screen=1` };
};
