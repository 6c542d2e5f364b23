import type { ListedProvider, SetUp } from '../../../integrations/index.ts';
import type { Html } from '../../../platform/index.ts';
import { type Entry, isReady, type ShownConnection, usesKey } from '../entry.ts';
import { reconnectLink } from './connect-link.ts';

export const knowsParams = ({ params }: ListedProvider, known: Readonly<Record<string, string>>): boolean =>
  params.every(({ name, default: standard }) => standard !== null || name in known);

/** The Reconnect link, with the values that were entered the first time. Null if those are no longer sufficient. */
export const linkAgain = (entry: Entry, setUp: SetUp | null, connection: ShownConnection): Html | null => {
  const { provider } = entry;
  const wish = setUp?.again.get(connection.connection);
  if (!provider || !wish || !isReady(entry)) return null;
  if (!usesKey(entry) && !knowsParams(provider, wish.params)) return null;
  return reconnectLink(entry, connection, wish);
};
