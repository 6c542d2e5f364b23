import { type Parties, type SealedEnds, sealEnds } from '../calls/call-parties.ts';
import type { TelephonyContext } from '../context.ts';
import type { CallFact, DeliveryFacts, Direction } from '../contract/call-fact.ts';
import type { Party } from '../contract/party.ts';
import { listToldBy } from './call-batch-store.ts';
import type { DeliveryRow } from './delivery-store.ts';
import { type ExternalName, nameOf } from './external-row-store.ts';

/** What one delivery says. */
export type OpenedDelivery = { row: DeliveryRow; facts: DeliveryFacts };

/** Everything a batch of deliveries says about one call. */
export type CallUpdate = ExternalName & {
  provider: string;
  receivedAt: number;
  deliveries: readonly string[];
  /** Facts by key, each once. */
  facts: ReadonlyMap<string, { deliveryId: string; fact: CallFact }>;
  /**
   * Direction, caller, and callee, from the delivery with the best rank (see `toEnds`). Null if no delivery names them,
   * or those that are stored have a better rank.
   */
  ends: (SealedEnds & { toldBy: string }) | null;
  /** The parties in `ends`, not sealed. */
  parties: Parties | null;
};

/**
 * Groups deliveries by call. The calls are sorted, so that two processes insert the same calls in the same order, and
 * can't deadlock.
 */
const groupByCall = (deliveries: readonly OpenedDelivery[]): [string, OpenedDelivery[]][] => {
  const groups = new Map<string, OpenedDelivery[]>();
  for (const opened of deliveries) {
    if (!opened.facts.call) continue;
    const name = nameOf({ accountId: opened.row.accountId, externalId: opened.facts.call.callKey });
    const group = groups.get(name);
    if (group) group.push(opened);
    else groups.set(name, [opened]);
  }
  return [...groups].sort(([left], [right]) => (left < right ? -1 : 1));
};

type Ends = { toldBy: string; direction: Direction; from: Party; to: Party };

/** First character of `toldBy`, which is compared as text: `-` sorts before `0`, and `0` before `1`. */
const RANKS = { inboundWithName: '-', inbound: '0', outbound: '1' } as const;

/**
 * Position of a delivery within its rank. The `~` sorts it after positions that older versions stored, which had no
 * time in them.
 */
const placeOf = ({ receivedAt, id }: DeliveryRow): string => `~${String(receivedAt).padStart(15, '0')} ${id}`;

/**
 * Ranks a delivery that names both ends of a call. The delivery with the smallest rank is trusted, whichever is
 * processed first. Inbound ranks before outbound, so that the legs dialed for an inbound call don't make it outbound.
 * Next, a delivery with a field for the caller's name, even an empty one, ranks before one without. Next, the delivery
 * received first wins, so that a later copy in another form can't replace the original.
 */
const toEnds = ({ row, facts: { call } }: OpenedDelivery): Ends[] => {
  if (!call?.direction || !call.from || !call.to) return [];
  const { direction, from, to, saysName = from.name !== undefined } = call;
  const rank = direction === 'inbound' && saysName ? 'inboundWithName' : direction;
  return [{ toldBy: `${RANKS[rank]} ${placeOf(row)}`, direction, from, to }];
};

export const isBetter = (toldBy: string, known: string | null): boolean => known === null || toldBy < known;

const best = (group: readonly OpenedDelivery[]): Ends | null =>
  group
    .flatMap(toEnds)
    .reduce<Ends | null>((known, ends) => (isBetter(ends.toldBy, known?.toldBy ?? null) ? ends : known), null);

const factsOf = (group: readonly OpenedDelivery[]): CallUpdate['facts'] => {
  const known = new Map<string, { deliveryId: string; fact: CallFact }>();
  for (const { row, facts } of group)
    for (const fact of facts.events) if (!known.has(fact.key)) known.set(fact.key, { deliveryId: row.id, fact });
  return known;
};

/** Groups deliveries by call, and seals the callers and callees that will be stored. */
export const prepareCalls = async (
  { database, vault }: Pick<TelephonyContext, 'database' | 'vault'>,
  deliveries: readonly OpenedDelivery[],
): Promise<CallUpdate[]> => {
  const groups = groupByCall(deliveries).flatMap(([name, group]) => {
    const [first] = group;
    if (!first?.facts.call) return [];
    const { teamId, accountId, provider } = first.row;
    return [{ name, group, provider, call: { teamId, accountId, externalId: first.facts.call.callKey } }];
  });
  if (groups.length === 0) return [];
  const stored = await listToldBy(
    database,
    groups.map(({ call }) => call),
  );
  const known = new Map(stored.map((call) => [nameOf(call), call.toldBy]));
  const updates: CallUpdate[] = [];
  for (const { name, group, provider, call } of groups) {
    const ends = best(group);
    const isNews = ends !== null && isBetter(ends.toldBy, known.get(name) ?? null);
    updates.push({
      ...call,
      provider,
      receivedAt: Math.min(...group.map(({ row }) => row.receivedAt)),
      deliveries: group.map(({ row }) => row.id),
      facts: factsOf(group),
      ends: isNews ? { toldBy: ends.toldBy, ...(await sealEnds(vault, call, ends)) } : null,
      parties: isNews ? { from: ends.from, to: ends.to } : null,
    });
  }
  return updates;
};
