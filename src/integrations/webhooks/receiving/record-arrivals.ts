import type { NewEvent } from '../../../events/index.ts';
import { giveWay, type Transaction, toIso } from '../../../platform/index.ts';
import { getFirstTeamId } from '../../../teams/index.ts';
import type { IntegrationsContext } from '../../context.ts';
import { listLiveAddresses } from '../addresses/address-store.ts';
import type { ArrivedMessage, Recorded } from './arrival.ts';
import { insertArrived } from './arrival-store.ts';
import { type ArrivedItem, findConnections } from './find-connections.ts';
import type { NamedConnection } from './named-connection-store.ts';
import type { UnmatchedBudget } from './unmatched-budget.ts';

export type RecordContext = IntegrationsContext & { unmatched: UnmatchedBudget };

/** The most characters of a payload that fits no connection. */
const MOST_NOBODYS = 8_000;
/** How many events are sealed and inserted at a time. An account of many teams makes an event for each of them. */
const EVENTS_AT_ONCE = 100;

/** An item with the connections that it names. */
type Matched = ArrivedItem & { connections: readonly NamedConnection[] };

const accountOf = ({ item: { named } }: ArrivedItem, connection: NamedConnection | undefined) => {
  if (connection) return { id: connection.accountId, label: connection.accountLabel };
  const id = named.account[0] ?? named.installation[0] ?? named.host[0];
  return id === undefined ? null : { id, label: null };
};

const toEvent = (
  { arrival, item, ...rest }: Matched,
  { teamId, type, connection }: { teamId: string; type: NewEvent['type']; connection?: NamedConnection | undefined },
): NewEvent => ({
  teamId,
  type,
  subject: connection?.id ?? arrival.address,
  from: { provider: arrival.provider, topic: item.type },
  data: {
    provider: arrival.provider,
    connection: connection?.name ?? null,
    account: accountOf({ arrival, item, ...rest }, connection),
    type: item.type,
    id: item.id,
    receivedAt: toIso(arrival.receivedAt),
    verified: arrival.verified,
  },
  // A large payload that is nobody's isn't kept.
  ...(type === 'provider.unmatched' && item.payload.length > MOST_NOBODYS ? {} : { payload: item.payload }),
});

/** Whether an item at the operator's address fits no connection. */
const isNobodys = ({ arrival, connections }: Matched): boolean => arrival.teamId === null && connections.length === 0;

/** Whether anybody gets this item. One that fits no connection is kept for the operator, up to a limit. */
const isWanted = ({ unmatched }: RecordContext, matched: Matched): boolean =>
  !isNobodys(matched) || unmatched.take(matched.arrival.provider);

/** Leaves out what has arrived before, also within the same group. */
const leaveOutRepeated = async (
  { clock }: RecordContext,
  tx: Transaction,
  matched: readonly Matched[],
): Promise<Matched[]> => {
  const keyOf = ({ address, repeat }: { address: string; repeat: string | null }) => JSON.stringify([address, repeat]);
  const keyed = matched.flatMap(({ arrival: { address }, item: { repeat } }) =>
    repeat === null ? [] : [{ address, repeat }],
  );
  const fresh = new Set(keyed.length > 0 ? (await insertArrived(tx, keyed, clock.now())).map(keyOf) : []);
  return matched.filter(
    ({ arrival: { address }, item: { repeat } }) => repeat === null || fresh.delete(keyOf({ address, repeat })),
  );
};

/** Lists an item's events. What is nobody's is kept with the operator's team. */
const listEvents = (matched: Matched, operatorsTeam: string): NewEvent[] => {
  const { arrival, connections } = matched;
  const [first] = connections;
  if (arrival.teamId !== null) {
    // Of several connections that fit, none is picked: the message doesn't say which one it means.
    const connection = connections.length === 1 ? first : undefined;
    return [toEvent(matched, { teamId: arrival.teamId, type: 'provider.event', connection })];
  }
  if (!first) return [toEvent(matched, { teamId: operatorsTeam, type: 'provider.unmatched' })];
  return connections.map((connection) =>
    toEvent(matched, { teamId: connection.teamId, type: 'provider.event', connection }),
  );
};

/** Records the events of items, a few at a time, so that others aren't held up. */
const recordItems = async (
  { record }: RecordContext,
  tx: Transaction,
  items: readonly Matched[],
  operatorsTeam: string,
): Promise<void> => {
  let piece: NewEvent[] = [];
  for (const item of items)
    for (const event of listEvents(item, operatorsTeam)) {
      if (piece.length === EVENTS_AT_ONCE) {
        await record(tx, ...piece);
        piece = [];
        await giveWay();
      }
      piece.push(event);
    }
  await record(tx, ...piece);
};

const toRecorded = ({ teamId }: ArrivedMessage, mine: readonly Matched[], fresh: ReadonlySet<Matched>): Recorded => {
  const last = mine.at(-1)?.connections;
  const connection = (last?.length === 1 && last[0]?.name) || null;
  if (mine.length === 0) return { outcome: 'empty', connection };
  if (mine.every(({ connections }) => connections.length === 0) && teamId === null)
    return { outcome: 'unmatched', connection };
  return { outcome: mine.some((one) => fresh.has(one)) ? 'recorded' : 'repeated', connection };
};

/** Leaves out what has arrived at an address that was removed meanwhile, such as with its team. */
const leaveOutEnded = async (
  tx: Transaction,
  arrivals: readonly ArrivedMessage[],
): Promise<readonly ArrivedMessage[]> => {
  const ofTeams = arrivals.flatMap(({ teamId, address }) => (teamId === null ? [] : [{ teamId, id: address }]));
  if (ofTeams.length === 0) return arrivals;
  const live = new Set(await listLiveAddresses(tx, ofTeams));
  return arrivals.filter(({ teamId, address }) => teamId === null || live.has(address));
};

/** Records what has arrived as events, once, for the teams that it is about. */
export const recordArrivals = async (
  context: RecordContext,
  tx: Transaction,
  arrivals: readonly ArrivedMessage[],
): Promise<Recorded[]> => {
  const wanted = await leaveOutEnded(tx, arrivals);
  const items = wanted.flatMap((arrival) => arrival.items.map((item) => ({ arrival, item })));
  const found = await findConnections(context, tx, items);
  const matched = items.map((one) => ({ ...one, connections: found.get(one) ?? [] }));
  const fresh = await leaveOutRepeated(
    context,
    tx,
    matched.filter((one) => isWanted(context, one)),
  );
  const operatorsTeam = fresh.some(isNobodys) ? ((await getFirstTeamId(tx)) ?? '') : '';
  await recordItems(context, tx, fresh, operatorsTeam);
  const recorded = new Set(fresh);
  const ofArrival = Map.groupBy(matched, ({ arrival }) => arrival);
  return arrivals.map((arrival) => toRecorded(arrival, ofArrival.get(arrival) ?? [], recorded));
};
