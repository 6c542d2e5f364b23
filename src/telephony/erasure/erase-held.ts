import { deleteHeld, listHeldAfter } from '../accounts/held-store.ts';
import type { TelephonyContext } from '../contract/context.ts';
import type { Delivery } from '../contract/delivery.ts';
import type { Party } from '../contract/party.ts';
import { openWhole } from '../processing/delivery-payload.ts';

const PAGE = 50;

/** Held deliveries aren't verified, so they aren't interpreted: any that contains the number is erased. */
const mentions = ({ target, body }: Delivery, { kind, value }: Party): boolean => {
  const text = `${target}\n${body.toString('utf8')}`;
  if (kind === 'number') return new RegExp(`(?<!\\d)${value.replace('+', '')}(?!\\d)`).test(text);
  return text.includes(value) || text.includes(encodeURIComponent(value));
};

/** Erases a team's held deliveries that mention this party, with turns for others. Returns how many. */
export const eraseHeld = async (
  { database, vault, turns }: TelephonyContext,
  teamId: string,
  party: Party,
): Promise<number> => {
  let erased = 0;
  let page = await listHeldAfter(database, teamId, '', PAGE);
  while (page.length > 0) {
    for (const { id, content } of page) {
      await turns.wait();
      if (mentions(await openWhole(vault, teamId, id, content), party))
        erased += await deleteHeld(database, teamId, id);
    }
    page = await listHeldAfter(database, teamId, page.at(-1)?.id ?? '', PAGE);
  }
  return erased;
};
