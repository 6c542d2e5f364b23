import type { FullRecord } from '../src/integrations/catalogue/provider.ts';

const NOTICE_DAYS = 90;
const DAY_MS = 86_400_000;

export type Sunset = NonNullable<FullRecord['sunsets']>[number] & {
  readonly id: string;
  /** Negative if the date has passed. */
  readonly daysLeft: number;
};

/** Lists announced shutdowns that are within ninety days or have passed, soonest first. Leaves out retired entries. */
export const findSunsets = (
  entries: readonly Pick<FullRecord, 'id' | 'sunsets' | 'retired'>[],
  today: string,
): Sunset[] =>
  entries
    .filter(({ retired }) => retired === undefined)
    .flatMap(({ id, sunsets = [] }) =>
      sunsets.map((sunset) => ({
        ...sunset,
        id,
        daysLeft: Math.round((Date.parse(sunset.date) - Date.parse(today)) / DAY_MS),
      })),
    )
    .filter(({ daysLeft }) => daysLeft <= NOTICE_DAYS)
    .sort((one, other) => one.daysLeft - other.daysLeft);
