import { PatchbayError } from '../patchbay-error.ts';

/** The parameter with the id of the channel. The id is also the key under which a whole page keeps its session. */
const CHANNEL = 'patchbay';
const ADDED = [CHANNEL, 'provider', 'connection', 'outcome', 'error', 'attempt', 'siteNeeded'];

export const ID_PREFIX = 'patchbay-';

export const newChannelId = (): string =>
  `${ID_PREFIX}${Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')}`;

/** Makes the return address. It must have the same origin as this page, because a channel only reaches such pages. */
export const toReturnAddress = (returnTo: string, id: string): string => {
  const address = URL.canParse(returnTo, location.href) ? new URL(returnTo, location.href) : null;
  if (address?.origin !== location.origin)
    throw new PatchbayError('connect.return_refused', '`returnTo` must be a page of the same origin.');
  address.searchParams.set(CHANNEL, id);
  return address.href;
};

/**
 * Reads what the browser came back with, and removes it from the page's address. Null if it didn't come back from a
 * flow.
 */
export const takeReturn = (): Record<string, string> | null => {
  const address = new URL(location.href);
  const { [CHANNEL]: id = '', ...query } = Object.fromEntries(address.searchParams);
  if (!/^patchbay-\w+$/.test(id)) return null;
  for (const name of ADDED) address.searchParams.delete(name);
  history.replaceState(history.state, '', address);
  return { ...query, id };
};
