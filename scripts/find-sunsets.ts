import type { FullRecord } from '../src/integrations/catalogue/provider.ts';

const NOTICE_DAYS = 90;
const DAY_MS = 86_400_000;

export type Sunset = NonNullable<FullRecord['sunsets']>[number] & {
  readonly id: string;
  /** Negative if it has passed. */
  readonly daysLeft: number;
};

/** What ends within ninety days or has ended, soonest first. A retired entry has nothing left to end. */
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
