import type { IncomingHttpHeaders } from 'node:http';
import { type HourCycle, hourCycleOf, type TimeStyle } from '../../platform/index.ts';

/** How someone reads times and phone numbers. */
export type Region = TimeStyle & {
  /** The team's own: numbers that share it are written the national way. Null if it isn't known. */
  callingCode: string | null;
};

/** The language that a browser asks for first. */
const FIRST_LANGUAGE = /^\s*([a-z]{2,3}(?:-[a-z\d]{2,8}){0,3})\s*(?:[,;]|$)/i;

/** 12 or 24 hours, by the browser's first language. 24 if it doesn't say. */
export const hourCycleFor = ({ 'accept-language': languages = '' }: IncomingHttpHeaders): HourCycle => {
  const language = FIRST_LANGUAGE.exec(languages)?.[1];
  if (language === undefined) return 'h23';
  try {
    return hourCycleOf(new Intl.Locale(language));
  } catch {
    return 'h23';
  }
};
