import type { Mailer } from '../mailer.ts';
import type { Forwarder } from '../outbound/forwarder.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { OutboundFailed } from '../outbound/outbound-failed.ts';
import { hostOf, parseUrl } from '../outbound/parse-url.ts';
import { endStream } from '../outbound/send-request.ts';
import type { Pause } from './pause.ts';

/*
 * Keeps a paused service from sending. Everything it sends goes through one of these three functions. Each fails as if
 * the other side couldn't be reached. Nothing was sent, so the caller tries again after the pause.
 */

const refusePaused = async (pause: Pause, host: () => string): Promise<void> => {
  if (!(await pause.read())) return;
  throw Object.assign(new OutboundFailed('paused', host()), { sent: false });
};

export const holdOutbound = (outbound: Outbound, pause: Pause): Outbound => {
  const hold = async ({ url, body }: Parameters<Outbound['open']>[0]): Promise<void> => {
    try {
      await refusePaused(pause, () => hostOf(parseUrl(url)));
    } catch (error) {
      endStream(body);
      throw error;
    }
  };
  return {
    async request(request) {
      await hold(request);
      return outbound.request(request);
    },
    async open(request) {
      await hold(request);
      return outbound.open(request);
    },
  };
};

export const holdForwarder = (forwarder: Forwarder, pause: Pause): Forwarder => ({
  async forward(request) {
    await refusePaused(pause, () => hostOf(request.origin));
    return forwarder.forward(request);
  },
  close: forwarder.close,
});

export const holdMailer = (mailer: Mailer, pause: Pause): Mailer => ({
  async send(mail, begin) {
    if (await pause.read()) return { kind: 'later', problem: 'The service is paused.' };
    return mailer.send(mail, begin);
  },
  check: mailer.check,
});
