import type { Secret } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { openSecrets, openUrl } from '../endpoints/endpoint-secrets.ts';
import { getHeldEndpoint, holdEndpoints } from './holding-store.ts';

/** The endpoint is read again after this long, in case it was changed. */
const FRESH_MS = 2_000;

/**
 * An endpoint that this process holds, which means that no other process sends to it. Also has the endpoint's decrypted
 * URL and secrets. `onRead` is called each time the endpoint is read.
 */
export const createHeldEndpoint = (
  { database, vault, clock, holder }: Pick<EventsContext, 'database' | 'vault' | 'clock'> & { holder: string },
  first: Endpoint,
  onRead: (endpoint: Endpoint) => void,
) => {
  let endpoint = first;
  let destination: { url: Secret; secrets: Secret[] } | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  const adopt = async (held: Endpoint): Promise<void> => {
    endpoint = held;
    destination = { url: await openUrl(vault, held), secrets: await openSecrets(vault, held, clock.now()) };
    onRead(held);
    readAt = performance.now();
  };

  return {
    get current(): Endpoint {
      return endpoint;
    },
    get destination(): { url: Secret; secrets: Secret[] } {
      if (!destination) throw new Error('An endpoint is opened before anything is sent to it.');
      return destination;
    },
    /** Reads the endpoint again, unless it was just read. False if another process holds it now, or if it's off. */
    async refresh(): Promise<boolean> {
      if (!destination) await adopt(first);
      if (performance.now() - readAt < FRESH_MS) return true;
      const { id } = endpoint;
      const held =
        (await getHeldEndpoint(database, id, holder, clock.now())) ??
        (await holdEndpoints(database, [id], holder, clock.now()))[0];
      if (held) await adopt(held);
      return held !== undefined;
    },
    /** Makes the next `refresh` read the endpoint again. */
    outdate(): void {
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
};

export type HeldEndpoint = ReturnType<typeof createHeldEndpoint>;
