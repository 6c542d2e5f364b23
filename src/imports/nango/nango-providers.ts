import { readFileSync } from 'node:fs';

/** How an integration of Nango relates to an entry of our catalog. Evidence is in the file itself. */
export type NangoProvider = {
  /** The id of our entry. */
  provider: string;
  /** Where Nango refreshes it. Absent if it's connected with a key. */
  token?: string;
  /** Our name → a text with names of Nango's `connection_config`. Left out if one of them is missing. */
  values?: Record<string, string>;
  /** Names of `connection_config` and the only values that our entry covers. */
  only?: Record<string, string>;
  /** Our field of a key → Nango's, if they differ. */
  fields?: Record<string, string>;
  /** Deleting a connection in Nango ends the grant at the provider. */
  deletingRevokes?: boolean;
  note?: string;
};

type File = { providers: Record<string, NangoProvider>; leftOut: Record<string, string> };

/** Which providers of Nango are ours under which name, and which aren't although they look like it. */
export const readNangoProviders = (): File =>
  JSON.parse(readFileSync(new URL('./nango-providers.json', import.meta.url), 'utf8'));
