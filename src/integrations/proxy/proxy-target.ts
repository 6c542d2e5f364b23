/** The field of the query that names the connection. */
export const CONNECTION_FIELD = 'connection';
/**
 * The query field that names the host, like the header `Patchbay-Host`, which a link can't carry. Empty for the API's
 * own URL.
 */
export const HOST_FIELD = 'patchbay-host';
/** Fields of the caller's query that aren't sent to the provider. */
export const OUR_FIELDS = [CONNECTION_FIELD, HOST_FIELD];

const nameOf = (field: string): string => {
  const [name = ''] = field.split('=', 1);
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
};

export const hasField = (query: string, names: readonly string[]): boolean =>
  query.split('&').some((field) => names.includes(nameOf(field).toLowerCase()));

/** The caller's query byte for byte, without these fields. */
export const withoutFields = (query: string, names: readonly string[]): string => {
  const left = new Set(names.map((name) => name.toLowerCase()));
  return query
    .split('&')
    .filter((field) => field !== '' && !left.has(nameOf(field).toLowerCase()))
    .join('&');
};

/** The whole path at the provider. `path` has no slash at the start. */
export const pathAt = ({ pathname }: URL, path: string): string => {
  const base = pathname.replace(/\/+$/, '');
  return `${base}${path === '' && base !== '' ? '' : '/'}${path}`;
};
