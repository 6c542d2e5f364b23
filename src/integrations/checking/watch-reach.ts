import { type Outbound, OutboundFailed } from '../../platform/index.ts';

/**
 * Whether a request failed before it was sent, because no name server or no host responded. Includes a refused
 * certificate, which may come from a proxy in between.
 */
const isOutOfReach = (error: unknown): boolean =>
  error instanceof OutboundFailed && !error.sent && (error.reason === 'network' || error.reason === 'timeout');

/** Wraps outgoing requests. `isCutOff` says whether all of them failed before a network connection was made. */
export const watchReach = (outbound: Outbound): { outbound: Outbound; isCutOff(): boolean } => {
  const tries = { all: 0, outOfReach: 0 };
  const watched = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    tries.all += 1;
    try {
      return await answer;
    } catch (error) {
      if (isOutOfReach(error)) tries.outOfReach += 1;
      throw error;
    }
  };
  return {
    outbound: {
      request: (request) => watched(outbound.request(request)),
      open: (request) => watched(outbound.open(request)),
    },
    isCutOff: () => tries.all > 0 && tries.outOfReach === tries.all,
  };
};
