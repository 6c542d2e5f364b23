import type { KeyRecord } from '../catalogue/key-record.ts';
import { expandAddress, type Values } from '../catalogue/placeholders.ts';
import { buildVerification } from './verify-key.ts';

/** Throws `ValueMissing` if the values lead to no address, for verifying the key or for using it. */
export const checkAddresses = (record: KeyRecord, values: Values): void => {
  // Where the API is may only be known from the response.
  if (record.kind === 'client_credentials') return void expandAddress(record.token.url, values);
  const { url, verify } = record.api;
  expandAddress(url, values);
  if (verify) buildVerification(record, verify, values);
};
