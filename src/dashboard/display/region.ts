import type { IncomingHttpHeaders } from 'node:http';
import { type HourCycle, hourCycleOf, type TimeStyle } from '../../platform/index.ts';

/** How a person reads times and phone numbers. */
export type Region = TimeStyle & {
  /** The calling code of the team's numbers. Numbers with this code are written the national way. Null if unknown. */
  callingCode: string | null;
};

/** Matches the language that a browser prefers. */
const FIRST_LANGUAGE = /^\s*([a-z]{2,3}(?:-[a-z\d]{2,8}){0,3})\s*(?:[,;]|$)/i;

/** 12 or 24 hours, according to the browser's preferred language. 24 if the browser sends none. */
export const hourCycleFor = ({ 'accept-language': languages = '' }: IncomingHttpHeaders): HourCycle => {
  const language = FIRST_LANGUAGE.exec(languages)?.[1];
  if (language === undefined) return 'h23';
  try {
    return hourCycleOf(new Intl.Locale(language));
  } catch {
    return 'h23';
  }
};
