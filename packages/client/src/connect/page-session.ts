import type { Session } from '../../connect.d.ts';
import { PatchbayError } from '../patchbay-error.ts';

/**
 * Patchbay's address. Patchbay writes it into the script when it serves it, so that even a copy of the script contains
 * it.
 */
const HOME = 'PATCHBAY_URL';

/**
 * Refuses any address but Patchbay's. Otherwise, someone who can add elements to a page, but no scripts, could have the
 * page's sessions sent elsewhere.
 */
export const checkAddress = (url: string | null): string => {
  if (url === null || (URL.canParse(url) && new URL(url).origin === HOME)) return HOME;
  throw new PatchbayError('connect.url_refused', `\`url\` isn't ${HOME}, which this script is for. Remove it.`);
};

/**
 * Gets a session from the product. Uses GET until the user has clicked: an element that someone has added to the page
 * must not change anything by itself, whatever its address is.
 */
export const fetchSession = async (address: string, method: 'GET' | 'POST'): Promise<Session> => {
  const { href, origin } = new URL(address, document.baseURI);
  const isOurs = address !== '' && origin === location.origin;
  const response = isOurs ? await fetch(href, { method, redirect: 'error', cache: 'no-store' }) : null;
  if (response?.ok) return response.json();
  throw new PatchbayError('connect.session_missing', `"${address}" created no session.`, {
    status: response?.status ?? 0,
  });
};
