import { credentialOf, type KeyRecord } from '../catalogue/key-record.ts';
import { expandText, type Values } from '../catalogue/placeholders.ts';
import type { SentCredential } from '../requests/verification-request.ts';

const BASIC = 'Basic ';

const expandFormat = (format: string, values: Values): string => {
  const text = expandText(format, values);
  return format.startsWith(BASIC) ? `${BASIC}${Buffer.from(text.slice(BASIC.length)).toString('base64')}` : text;
};

/** Fills in the entered values. A placeholder that is part of an entered value stays as it is. */
export const expandKeyCredential = (record: KeyRecord, values: Values): SentCredential => {
  const credential = credentialOf(record);
  if ('query' in credential) return { headers: [], query: { name: credential.query, value: values['api_key'] ?? '' } };
  const formats =
    'headers' in credential ? Object.entries(credential.headers) : [[credential.header, credential.format]];
  return { headers: formats.map(([header = '', format = '']) => [header, expandFormat(format, values)]), query: null };
};
