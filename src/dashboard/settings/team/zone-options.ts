/** Current names of zones that the list still has under their old ones. */
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

/** Includes the team's own, which may be an older name that still works. */
export const zoneOptions = (current: string) =>
  (ZONES.includes(current) ? ZONES : [current, ...ZONES]).map((zone) => ({ value: zone, label: zone }));
