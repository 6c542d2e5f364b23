import type { KeyRecord } from '../catalogue/key-record.ts';
import { expandAddress, type Values } from '../catalogue/placeholders.ts';
import { buildKeyVerification } from './verify-key.ts';

/** Throws `ValueMissing` if the values don't make valid URLs for verifying and using the key. */
export const checkAddresses = (record: KeyRecord, values: Values): void => {
  // The API's URL may contain values that only the token response brings.
  if (record.kind === 'client_credentials') return void expandAddress(record.token.url, values);
  const { url, verify } = record.api;
  expandAddress(url, values);
  if (verify) buildKeyVerification(record, verify, values);
};
