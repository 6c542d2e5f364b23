/** Formats of one kind, one for each time zone: they are slow to make. */
export const createZoneFormats = (locale: string, options: Intl.DateTimeFormatOptions) => {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (timeZone: string): Intl.DateTimeFormat => {
    // A zone is understood in any case, and each way of writing it would be one more.
    const name = timeZone.toLowerCase();
    const format = formats.get(name) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone });
    formats.set(name, format);
    return format;
  };
};
