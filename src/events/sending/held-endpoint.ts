import type { Secret } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { openSecrets, openUrl } from '../endpoints/endpoint-secrets.ts';
import { getHeldEndpoint, holdEndpoints } from './holding-store.ts';

/** The endpoint is read again after this long, in case it was changed. */
const FRESH_MS = 2_000;

/** An endpoint that this process holds, as it last was, and where to send to. `onRead` is called each time it's read. */
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
    /** Reads it again, unless it was just read. False if it's no longer ours. */
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
    /** It's read again before the next event. */
    outdate(): void {
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
};

export type HeldEndpoint = ReturnType<typeof createHeldEndpoint>;
