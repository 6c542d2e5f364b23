const BASE = 'http://patchbay.invalid';

/** The router decodes a path before it looks for the route. */
const isApi = (path: string): boolean => {
  try {
    return decodeURIComponent(path).startsWith('/api/');
  } catch {
    return true;
  }
};

/** One of our pages to go back to. Null for any other site, and for the API: a redirect must not act for the person. */
export const toLocalPath = (address: string | undefined): string | null => {
  if (!address?.startsWith('/') || address.length > 2_000) return null;
  // A browser takes "\" for "/", and drops tabs and line breaks before it looks.
  if (/[\\\p{Cc}]/u.test(address)) return null;
  const url = URL.parse(address, BASE);
  // "/.//elsewhere" is a path of ours until the parser has taken the dot out of it.
  if (url?.origin !== BASE || url.pathname.startsWith('//') || isApi(url.pathname)) return null;
  return `${url.pathname}${url.search}${url.hash}`;
};
