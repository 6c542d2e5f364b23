import { createOutbound, type Outbound, OutboundFailed } from '../../../src/platform/index.ts';
import { TRUE_ADDRESS } from './wire-request.ts';

type OutboundRequest = Parameters<Outbound['request']>[0];

type Network = {
  isKnown: (address: URL) => boolean;
  /** Called for every request that gets nowhere. */
  onStray: (what: string) => void;
};

/**
 * An outbound guard on which every public address leads to the simulator, and one that belongs to no entry leads
 * nowhere.
 */
export const createReroutedOutbound = (base: string, { isKnown, onStray }: Network): Outbound => {
  const outbound = createOutbound({ allowPrivate: true });

  const refuse = (reason: 'bad_url' | 'refused_host' | 'network', url: URL | null, detail?: string): never => {
    onStray(`${url ? `${url.origin}${url.pathname}` : 'no address'} (${reason})`);
    const failure = new OutboundFailed(reason, url?.hostname ?? 'an unknown address', detail);
    failure.sent = false;
    throw failure;
  };

  const reroute = ({ hosts, headers = {}, ...request }: OutboundRequest): OutboundRequest => {
    const url = URL.parse(request.url);
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return refuse('bad_url', url);
    if (hosts && !hosts(url.hostname)) return refuse('refused_host', url);
    if (!isKnown(url)) return refuse('network', url, 'ENOTFOUND');
    return {
      ...request,
      url: `${base}${url.pathname}${url.search}`,
      headers: { ...headers, [TRUE_ADDRESS]: url.href },
    };
  };

  return {
    request: async (request) => outbound.request(reroute(request)),
    open: async (request) => outbound.open(reroute(request)),
  };
};
