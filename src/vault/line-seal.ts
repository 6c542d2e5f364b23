import type { LineSeal } from '../platform/index.ts';
import type { Vault } from './vault.ts';

/** Encrypts the lines of a journal with the ring itself, because the teams' keys are in the database. */
export const createLineSeal = (
  { sealPassing, openPassing }: Pick<Vault, 'sealPassing' | 'openPassing'>,
  purpose: string,
): LineSeal => ({
  seal: (text) => sealPassing(purpose, [], Buffer.from(text)),
  open: (line) => openPassing(purpose, [], line).toString('utf8'),
});
