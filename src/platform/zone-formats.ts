/** The locale of dates on every page and in every email and message: "Nov 16, 2026". */
const LOCALE = 'en-US';

/** Caches one format per time zone, because formats are slow to create. */
export const createZoneFormats = (options: Intl.DateTimeFormatOptions) => {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (timeZone: string): Intl.DateTimeFormat => {
    // Names of time zones aren't case-sensitive. Without this, each spelling would get its own cache entry.
    const name = timeZone.toLowerCase();
    const format = formats.get(name) ?? new Intl.DateTimeFormat(LOCALE, { ...options, timeZone });
    formats.set(name, format);
    return format;
  };
};
