import type { Events } from '../../events/index.ts';
import type { CrmPeople } from '../../integrations/index.ts';
import type { Pause } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';

/** What naming callers and logging calls needs besides the rest of telephony. */
export type CrmsContext = TelephonyContext & {
  pause: Pause;
  /** The CRMs that teams have connected. */
  people: CrmPeople;
  followNews: Events['followNews'];
  /** Called when a call has got a name, for pages that show it. */
  onNamed(teamId: string): void;
};
