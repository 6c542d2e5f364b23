import { listAllAccountIds } from '../accounts/account-store.ts';
import type { TelephonyContext } from '../context.ts';
import type { DeliveryFacts } from '../contract/call-fact.ts';
import type { Party } from '../contract/party.ts';
import { openFacts, openText } from '../processing/delivery-payload.ts';
import {
  type DeliveryRow,
  eraseDelivery,
  listWaitingDeliveries,
  listWithoutCallAfter,
} from '../processing/delivery-store.ts';
import { mentions } from './mentions.ts';
import { refuseCalls } from './refuse-calls.ts';

const PAGE = 50;

const isSame = (one: Party | null | undefined, { kind, value }: Party): boolean =>
  one?.kind === kind && one.value === value;

/** Erases unprocessed deliveries about this party, and refuses later deliveries about the same calls. */
export const eraseWaiting = async (context: TelephonyContext, teamId: string, party: Party): Promise<void> => {
  const { database, vault, clock, turns, providers } = context;
  const readFacts = async (row: DeliveryRow): Promise<DeliveryFacts | null> => {
    const provider = providers.find(({ id }) => id === row.provider);
    // A delivery that can't be read is marked as failed when it is processed.
    return provider ? openFacts(vault, provider, row).catch(() => null) : null;
  };
  const eraseOne = async (row: DeliveryRow): Promise<void> => {
    const call = (await readFacts(row))?.call;
    if (call && !isSame(call.from, party) && !isSame(call.to, party)) return;
    if (!call && !mentions(await openText(vault, row), party)) return;
    const { accountId } = row;
    if (call) await refuseCalls(context, teamId, [{ accountId, callKey: call.callKey }]);
    await eraseDelivery(database, teamId, row.id, clock.now());
  };
  const listBefore = (place: Pick<DeliveryRow, 'receivedAt' | 'id'>) => listWaitingDeliveries(database, place, PAGE);
  let page = await listBefore({ receivedAt: Number.MAX_SAFE_INTEGER, id: '' });
  for (let last = page.at(-1); last; last = page.at(-1)) {
    for (const row of page) {
      await turns.wait();
      if (row.teamId === teamId) await eraseOne(row);
    }
    page = await listBefore(last);
  }
};

/** Erases deliveries that belong to no call, like those about a dialed leg, if they mention this party. */
export const eraseWithoutCall = async (context: TelephonyContext, teamId: string, party: Party): Promise<void> => {
  const { database, vault, clock, turns } = context;
  for (const accountId of await listAllAccountIds(database, teamId)) {
    const listAfter = (id: string) => listWithoutCallAfter(database, { teamId, accountId }, id, PAGE);
    let page = await listAfter('');
    for (let last = page.at(-1); last; last = page.at(-1)) {
      for (const { id, payload } of page) {
        await turns.wait();
        if (payload !== null && mentions(await openText(vault, { teamId, id, payload }), party))
          await eraseDelivery(database, teamId, id, clock.now());
      }
      page = await listAfter(last.id);
    }
  }
};
