import { readFileSync } from 'node:fs';

/** How a provider in Nango maps to an entry in our catalog. The JSON file names its sources. */
export type NangoProvider = {
  /** The ID of our catalog entry. */
  provider: string;
  /** The URL where Nango refreshes tokens. Absent if the provider is connected with a key. */
  token?: string;
  /**
   * Maps our name of a value to a template with names from Nango's `connection_config`. The value is left out if a name
   * in its template is missing.
   */
  values?: Record<string, string>;
  /** Maps names in `connection_config` to the only value that our entry supports. */
  only?: Record<string, string>;
  /** Maps our key field to Nango's, if their names differ. */
  fields?: Record<string, string>;
  /** True if deleting a connection in Nango revokes the grant at the provider. */
  deletingRevokes?: boolean;
  note?: string;
};

type File = { providers: Record<string, NangoProvider>; leftOut: Record<string, string> };

/** Reads which Nango providers map to our catalog entries, and why some don't despite a similar entry. */
export const readNangoProviders = (): File =>
  JSON.parse(readFileSync(new URL('./nango-providers.json', import.meta.url), 'utf8'));
