import { createOutbound, type Outbound, OutboundFailed } from '../../../src/platform/index.ts';
import { TRUE_ADDRESS } from './wire-request.ts';

type OutboundRequest = Parameters<Outbound['request']>[0];

const refuse = (reason: 'bad_url' | 'refused_host' | 'network', host: string, detail?: string): never => {
  const failure = new OutboundFailed(reason, host, detail);
  failure.sent = false;
  throw failure;
};

/** A way out on which every public address leads to the simulator, and one that belongs to no entry leads nowhere. */
export const createReroutedOutbound = (base: string, isKnown: (address: URL) => boolean): Outbound => {
  const outbound = createOutbound({ allowPrivate: true });

  const reroute = ({ hosts, headers = {}, ...request }: OutboundRequest): OutboundRequest => {
    const url = URL.parse(request.url);
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
      return refuse('bad_url', url?.hostname ?? 'an address unknown');
    if (hosts && !hosts(url.hostname)) return refuse('refused_host', url.hostname);
    if (!isKnown(url)) return refuse('network', url.hostname, 'ENOTFOUND');
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
