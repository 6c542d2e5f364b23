/** Current names of zones that `Intl` still lists by their old names. */
const NEW_NAMES = [
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'America/Nuuk',
  'Atlantic/Faroe',
  'Europe/Kyiv',
];
const ZONES: readonly string[] = ['UTC', ...[...new Set([...Intl.supportedValuesOf('timeZone'), ...NEW_NAMES])].sort()];

/** The options of the time zone list. Includes the team's own zone, which may be an older name that still works. */
export const zoneOptions = (current: string) =>
  (ZONES.includes(current) ? ZONES : [current, ...ZONES]).map((zone) => ({ value: zone, label: zone }));
