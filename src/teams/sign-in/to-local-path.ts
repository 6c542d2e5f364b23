const BASE = 'http://patchbay.invalid';

/** The router decodes a path before it looks for the route. */
const isApi = (path: string): boolean => {
  try {
    return decodeURIComponent(path).startsWith('/api/');
  } catch {
    return true;
  }
};

/**
 * One of our pages to go back to. Null for any other site, and for the API, because a redirect must not act for the
 * person.
 */
export const toLocalPath = (address: string | undefined): string | null => {
  if (!address?.startsWith('/') || address.length > 2_000) return null;
  // Browsers treat "\" as "/", and drop tabs and line breaks first.
  if (/[\\\p{Cc}]/u.test(address)) return null;
  const url = URL.parse(address, BASE);
  // "/.//elsewhere" is a local path until the parser has removed the dot.
  if (url?.origin !== BASE || url.pathname.startsWith('//') || isApi(url.pathname)) return null;
  return `${url.pathname}${url.search}${url.hash}`;
};
