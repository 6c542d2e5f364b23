const BASE = 'http://patchbay.invalid';

/** Decodes the path, because the router also does so before it looks for the route. */
const isApi = (path: string): boolean => {
  try {
    return decodeURIComponent(path).startsWith('/api/');
  } catch {
    return true;
  }
};

/**
 * Returns the path if it is one of our pages. Null for another site, and for the API, because a redirect must not act
 * on the person's behalf.
 */
export const toLocalPath = (address: string | undefined): string | null => {
  if (!address?.startsWith('/') || address.length > 2_000) return null;
  // Browsers treat "\" as "/", and drop tabs and line breaks first.
  if (/[\\\p{Cc}]/u.test(address)) return null;
  const url = URL.parse(address, BASE);
  // A path like "/.//elsewhere" looks local until the parser has removed the dot.
  if (url?.origin !== BASE || url.pathname.startsWith('//') || isApi(url.pathname)) return null;
  return `${url.pathname}${url.search}${url.hash}`;
};
