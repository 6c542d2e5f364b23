import type { IntegrationsContext } from '../context.ts';

/** What containments work with. */
export type IncidentsContext = IntegrationsContext & {
  /** Empties the memory of callers. Call it after a change to which tokens work. */
  forgetCallers(): void;
  /** Stores what this process knows of who used which connection. */
  flushUses(): Promise<void>;
};
