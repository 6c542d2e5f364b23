import type { Transaction } from '../../../platform/index.ts';
import type { IntegrationsContext } from '../../context.ts';
import type { MessageItem } from '../reading/read-message.ts';
import type { ArrivedMessage } from './arrival.ts';
import { listNamedOfOperator, listNamedOfTeams, type NamedBy, type NamedConnection } from './named-connection-store.ts';

export type ArrivedItem = { arrival: ArrivedMessage; item: MessageItem };

const WAYS = ['account', 'installation', 'host'] as const satisfies readonly NamedBy[];

type Wanted = { by: NamedBy; provider: string; value: string; teamId: string | null };

/**
 * Lists how an item names its accounts. At the operator's address, an installation stands for a grant only if the grant
 * is the installation's. A person's grant may see less than the whole company.
 */
const listWanted = ({ catalogue }: IntegrationsContext, { arrival, item }: ArrivedItem): Wanted[] => {
  const { provider, teamId } = arrival;
  const record = catalogue.get(provider)?.record;
  const isPersons = record !== undefined && 'grantOf' in record && record.grantOf !== 'installation';
  return WAYS.filter((by) => teamId !== null || by !== 'installation' || !isPersons).flatMap((by) =>
    item.named[by].map((value) => ({ by, provider, value, teamId })),
  );
};

const keyOf = ({ by, provider, value, teamId }: Wanted): string => JSON.stringify([by, provider, value, teamId]);

const listInOneWay = async (
  { operatorClients }: IntegrationsContext,
  tx: Transaction,
  by: NamedBy,
  wanted: readonly Wanted[],
): Promise<[string, NamedConnection][]> => {
  const ofTeams = wanted.flatMap(({ provider, value, teamId }) =>
    teamId === null ? [] : [{ provider, value, teamId }],
  );
  const ofOperator = wanted.flatMap(({ provider, value, teamId }) => {
    const client = operatorClients.get(provider);
    return teamId === null && client ? [{ provider, value, clientId: client.id }] : [];
  });
  const atTeams = ofTeams.length > 0 ? await listNamedOfTeams(tx, by, ofTeams) : [];
  const atOperator = ofOperator.length > 0 ? await listNamedOfOperator(tx, by, ofOperator) : [];
  return [
    ...atTeams.map((found): [string, NamedConnection] => [keyOf({ ...found, by }), found]),
    ...atOperator.map((found): [string, NamedConnection] => [keyOf({ ...found, by, teamId: null }), found]),
  ];
};

/** Maps each item to the connections that it names, at most one per team. Reads as few times as there are ways. */
export const findConnections = async (
  context: IntegrationsContext,
  tx: Transaction,
  items: readonly ArrivedItem[],
): Promise<Map<ArrivedItem, readonly NamedConnection[]>> => {
  const wantedOf = new Map(items.map((one) => [one, listWanted(context, one)]));
  const all = new Map([...wantedOf.values()].flat().map((wanted) => [keyOf(wanted), wanted]));
  const found = new Map<string, NamedConnection[]>();
  for (const by of WAYS) {
    const wanted = [...all.values()].filter((one) => one.by === by);
    if (wanted.length === 0) continue;
    for (const [key, connection] of await listInOneWay(context, tx, by, wanted)) {
      const known = found.get(key);
      if (known) known.push(connection);
      else found.set(key, [connection]);
    }
  }
  /** By what items name, because all items of a message often name the same account. */
  const lists = new Map<string, readonly NamedConnection[]>();
  const listOf = (one: ArrivedItem): readonly NamedConnection[] => {
    const keys = (wantedOf.get(one) ?? []).map(keyOf);
    const whole = keys.join();
    const known = lists.get(whole);
    if (known) return known;
    const named = keys.flatMap((key) => found.get(key) ?? []);
    const list = [...Map.groupBy(named, ({ teamId }) => teamId).values()].flatMap(([first]) => first ?? []);
    lists.set(whole, list);
    return list;
  };
  return new Map(items.map((one) => [one, listOf(one)]));
};
