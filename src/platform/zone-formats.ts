/** Caches one format per time zone, because they are slow to create. */
export const createZoneFormats = (locale: string, options: Intl.DateTimeFormatOptions) => {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (timeZone: string): Intl.DateTimeFormat => {
    // Time zones aren't case-sensitive, and each spelling would be another entry.
    const name = timeZone.toLowerCase();
    const format = formats.get(name) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone });
    formats.set(name, format);
    return format;
  };
};
