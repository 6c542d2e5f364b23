import { createForwarder, type Forwarder, OutboundFailed } from '../../../src/platform/index.ts';
import { BY_PROXY, TRUE_ADDRESS } from './wire-request.ts';

type Network = {
  isKnown: (address: URL) => boolean;
  /** Called for every request that gets nowhere. */
  onStray: (what: string) => void;
};

/** The proxy's way out, on which every address of an entry leads to the simulator. */
export const createReroutedForwarder = (base: string, { isKnown, onStray }: Network): Forwarder => {
  const forwarder = createForwarder({ allowPrivate: true });
  return {
    async forward(request) {
      const address = new URL(request.path, request.origin);
      if (address.protocol !== 'https:' || !isKnown(address)) {
        onStray(`${address.origin}${address.pathname} (by the proxy)`);
        throw new OutboundFailed('network', address.hostname, 'ENOTFOUND');
      }
      const headers = [...request.headers, [TRUE_ADDRESS, address.href], [BY_PROXY, 'yes']] as const;
      return forwarder.forward({ ...request, origin: new URL(base), headers });
    },
    close: forwarder.close,
  };
};
