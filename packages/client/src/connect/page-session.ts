import { PatchbayError } from '../patchbay-error.ts';
import type { Session } from './session.ts';

/** Where this script came from: Patchbay, or the product itself if it has a copy. */
const HOME = new URL('.', import.meta.url);

/** Whoever can add elements to a page, but no scripts, must not have its sessions sent elsewhere. */
export const checkAddress = (url: string | null): string => {
  const address = url ?? HOME.href;
  if (HOME.origin === location.origin || (URL.canParse(address) && new URL(address).origin === HOME.origin))
    return address;
  throw new PatchbayError('connect.url_refused', `\`url\` must be ${HOME.origin}, as for the script.`);
};

/**
 * GET as long as nobody has pressed anything: an element that somebody added to the page must not change anything by
 * itself, whatever its address is.
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
