import type { IncomingHttpHeaders } from 'node:http';

export type HourCycle = 'h12' | 'h23';

/** How someone reads times and phone numbers. */
export type Region = {
  timeZone: string;
  hourCycle: HourCycle;
  /** The team's own: numbers that share it are written the national way. Null if it isn't known. */
  callingCode: string | null;
  /** When the page is made, so that it can say "Today". */
  now: number;
};

/** The language that a browser asks for first. */
const FIRST_LANGUAGE = /^\s*([a-z]{2,3}(?:-[a-z\d]{2,8}){0,3})\s*(?:[,;]|$)/i;

/** 12 or 24 hours, by the browser's first language. 24 if it doesn't say. */
export const hourCycleFor = ({ 'accept-language': languages = '' }: IncomingHttpHeaders): HourCycle => {
  const language = FIRST_LANGUAGE.exec(languages)?.[1];
  if (language === undefined) return 'h23';
  try {
    const [usual] = new Intl.Locale(language).getHourCycles();
    return usual === 'h12' || usual === 'h11' ? 'h12' : 'h23';
  } catch {
    return 'h23';
  }
};
