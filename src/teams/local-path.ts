const BASE = 'http://patchbay.invalid';

/** A path of our own to go back to, or null for anything that could lead elsewhere. */
export const toLocalPath = (address: string | undefined): string | null => {
  if (!address?.startsWith('/') || address.length > 2_000) return null;
  // A browser takes "\" for "/", and drops tabs and line breaks before it looks.
  if (/[\\\p{Cc}]/u.test(address)) return null;
  const url = URL.parse(address, BASE);
  // "/.//elsewhere" is a path of ours until the parser has taken the dot out of it.
  if (url?.origin !== BASE || url.pathname.startsWith('//')) return null;
  return `${url.pathname}${url.search}${url.hash}`;
};
