const nameOf = (field: string): string => {
  const [name = ''] = field.split('=', 1);
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
};

/** The caller's query byte for byte, without these fields. */
export const withoutFields = (query: string, names: readonly string[]): string => {
  const left = new Set(names.map((name) => name.toLowerCase()));
  return query
    .split('&')
    .filter((field) => field !== '' && !left.has(nameOf(field).toLowerCase()))
    .join('&');
};
