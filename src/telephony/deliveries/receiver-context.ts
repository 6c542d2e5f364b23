import type { Switchboard } from '../accounts/switchboard.ts';
import type { PayloadBudget } from '../budget/payload-budget.ts';
import type { TelephonyContext } from '../context.ts';
import type { Processing } from '../processing/processing.ts';
import type { DeliveryKeeper } from './delivery-keeper.ts';
import type { RefusalLog } from './refusal-log.ts';

/** Context for receiving deliveries. */
export type ReceiverContext = TelephonyContext & {
  switchboard: Switchboard;
  keeper: DeliveryKeeper;
  payloadBudget: PayloadBudget;
  processing: Processing;
  refusals: RefusalLog;
};
