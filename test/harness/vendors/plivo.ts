import type { Delivery } from '../../../src/telephony/contract/delivery.ts';
import { deliverForm, type Form, readFixture } from './deliver.ts';

export const DELIVERIES = readFixture<Readonly<Record<string, { on: string; params: Form }>>>('plivo', 'deliveries');

/** A delivery of the fixtures by its name, with params replaced or, if null, left out. */
export const deliver = (name: string, changes: Record<string, string | null> = {}): Delivery => {
  const { on, params } = DELIVERIES[name] ?? { on: 'voice', params: {} };
  const [route = 'voice', query] = on.split('?');
  const said = Object.entries<string | null>({ ...params, ...changes });
  const form = Object.fromEntries(said.filter((entry): entry is [string, string] => entry[1] !== null));
  return deliverForm(form, { route: route as Delivery['route'], step: query?.replace('step=', '') });
};
