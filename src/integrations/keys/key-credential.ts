import { credentialOf, type KeyRecord } from '../catalogue/key-record.ts';
import type { Values } from '../catalogue/placeholders.ts';
import { expandFormat } from '../requests/expand-format.ts';
import type { SentCredential } from '../requests/verification-request.ts';

/** Fills in the entered values. A placeholder that is part of an entered value stays as it is. */
export const expandKeyCredential = (record: KeyRecord, values: Values): SentCredential => {
  const credential = credentialOf(record);
  if ('query' in credential) return { headers: [], query: { name: credential.query, value: values['api_key'] ?? '' } };
  const formats =
    'headers' in credential ? Object.entries(credential.headers) : [[credential.header, credential.format]];
  return { headers: formats.map(([header = '', format = '']) => [header, expandFormat(format, values)]), query: null };
};
