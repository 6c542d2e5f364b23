const BASE = 'http://patchbay.invalid';

/** Decodes the path, because the router does so, too. */
const isApi = (path: string): boolean => {
  try {
    return decodeURIComponent(path).startsWith('/api/');
  } catch {
    return true;
  }
};

/**
 * Returns the path if it is one of our pages. Null for other sites, and for the API: opening a link must not call it
 * for the person who signs in.
 */
export const toLocalPath = (address: string | undefined): string | null => {
  if (!address?.startsWith('/') || address.length > 2_000) return null;
  // Browsers treat "\" as "/" and remove tabs and line breaks, so such a path could lead to another site.
  if (/[\\\p{Cc}]/u.test(address)) return null;
  const url = URL.parse(address, BASE);
  // A path like "/.//elsewhere" looks local until the parser has removed the dot.
  if (url?.origin !== BASE || url.pathname.startsWith('//') || isApi(url.pathname)) return null;
  return `${url.pathname}${url.search}${url.hash}`;
};
