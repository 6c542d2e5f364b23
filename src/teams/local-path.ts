const BASE = 'http://patchbay.invalid';

/** A path of our own to go back to, or null for anything that could lead elsewhere. */
export const toLocalPath = (address: string | undefined): string | null => {
  if (!address?.startsWith('/') || address.length > 2_000) return null;
  // A browser takes "\" for "/", and drops tabs and line breaks before it looks.
  if (/[\\\p{Cc}]/u.test(address)) return null;
  const url = URL.parse(address, BASE);
  return url?.origin === BASE && !address.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : null;
};
