import { deleteHeld, listHeldAfter } from '../accounts/held-store.ts';
import type { TelephonyContext } from '../context.ts';
import type { Party } from '../contract/party.ts';
import { openWhole } from '../processing/delivery-payload.ts';
import { mentions } from './mentions.ts';

const PAGE = 50;

/**
 * Erases a team's held deliveries that mention this party. Other work runs in between. The deliveries aren't verified,
 * so their text is searched without interpreting it. Returns how many were erased.
 */
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
      const { target, body } = await openWhole(vault, teamId, id, content);
      if (mentions(`${target}\n${body.toString('utf8')}`, party)) erased += await deleteHeld(database, teamId, id);
    }
    page = await listHeldAfter(database, teamId, page.at(-1)?.id ?? '', PAGE);
  }
  return erased;
};
