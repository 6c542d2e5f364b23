import type { PayloadBudget } from '../budget/payload-budget.ts';
import type { TelephonyContext } from '../context.ts';
import { sealDelivery, sealFacts } from './delivery-payload.ts';
import type { DeliveryRow } from './delivery-store.ts';

type Sealing = Parameters<typeof sealDelivery> extends [unknown, ...infer Others] ? Others : never;

/** Seals and counts a verified delivery: whole if its team has room for it, otherwise only its facts. */
export const sealWithinBudget = async (
  { vault, payloadBudget }: Pick<TelephonyContext, 'vault'> & { payloadBudget: PayloadBudget },
  ...sealing: Sealing
): Promise<DeliveryRow> => {
  const whole = await sealDelivery(vault, ...sealing);
  if (payloadBudget.take(whole)) return whole;
  const facts = await sealFacts(vault, ...sealing);
  payloadBudget.add(facts);
  return facts;
};
