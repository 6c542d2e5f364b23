import { type Entry, isReady, type ShownConnection, usesKey } from '../entry.ts';

/** A connection that only a person can repair, by reconnecting it. */
export type Broken = { entry: Entry; connection: ShownConnection };

export type Shelves = {
  attention: readonly Broken[];
  /** Connected providers, with only those connections that work. */
  connected: readonly Entry[];
  /** Providers that are set up but not connected. Leaves out providers that use a key, which need no setup. */
  ready: readonly Entry[];
  others: readonly Entry[];
};

const isBroken = ({ status }: ShownConnection): boolean => status === 'needs_reconnect';

export const toShelves = (entries: readonly Entry[]): Shelves => {
  const unconnected = entries.filter(({ connections }) => connections.length === 0);
  const isNext = (entry: Entry): boolean => isReady(entry) && !usesKey(entry);
  return {
    attention: entries.flatMap((entry) =>
      entry.connections.filter(isBroken).map((connection) => ({ entry, connection })),
    ),
    connected: entries
      .map((entry) => ({ ...entry, connections: entry.connections.filter((one) => !isBroken(one)) }))
      .filter(({ connections }) => connections.length > 0),
    ready: unconnected.filter(isNext),
    others: unconnected.filter((entry) => !isNext(entry)),
  };
};
