import { Buffer } from 'node:buffer';
import { expandText, type Values } from '../catalogue/placeholders.ts';

const BASIC = 'Basic ';

/** Fills in the format of a credential's header. What follows `Basic ` is encoded in base64. */
export const expandFormat = (format: string, values: Values): string => {
  const text = expandText(format, values);
  return format.startsWith(BASIC) ? `${BASIC}${Buffer.from(text.slice(BASIC.length)).toString('base64')}` : text;
};
