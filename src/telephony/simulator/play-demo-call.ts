import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandRefused } from '../../platform/index.ts';
import type { AuditActor } from '../../teams/index.ts';
import type { TelephonyContext } from '../contract/context.ts';
import { createRandom, makeShortCall, type SimulatedRequest } from '../contract/simulated-call.ts';
import { demoNotPlayed } from '../errors.ts';
import { countArchived } from '../recordings/recording-store.ts';
import { openSimulatedLine, SIMULATED_NUMBER, type SimulatedLine } from './simulated-line.ts';
import { startSimulatedMedia, waitUntilFetched } from './simulated-media.ts';

const KINDS = ['taken', 'missed', 'message'] as const;
/** Slow enough to be watched. */
const PAUSE_MS = 900;

const sendOne = async ({ send }: SimulatedLine, request: SimulatedRequest): Promise<void> => {
  const status = await send(request);
  if (status >= 300) throw demoNotPlayed(`The service refused a demo call (${status}).`);
};

/** Sends a simulated call to this service, as its provider would; a different kind of call each time. */
export const createDemo = (context: TelephonyContext) => {
  const { database, clock, log, providers } = context;
  const playing = new Map<string, Promise<void>>();
  const closing = new AbortController();
  const { signal } = closing;
  let played = 0;

  const sendRest = async (line: SimulatedLine, requests: readonly SimulatedRequest[]): Promise<void> => {
    for (const request of requests) {
      await sleep(PAUSE_MS, undefined, { signal });
      await sendOne(line, request);
    }
  };

  /** Resolves once it rings; `rest` is what's left to happen. */
  const begin = async (teamId: string, actor: AuditActor): Promise<{ rest: Promise<void> }> => {
    const provider = providers.find(({ simulator }) => simulator);
    if (!provider?.simulator) throw new Error('No provider can be simulated.');
    const { simulator } = provider;
    const media = await startSimulatedMedia();
    try {
      const line = await openSimulatedLine(context, teamId, actor, {
        provider,
        simulator,
        mediaOrigin: media.origin,
      });
      const { id, accountId } = line.account;
      const kind = KINDS[played++ % KINDS.length] ?? 'taken';
      const random = createRandom(randomInt(2 ** 31));
      const call = makeShortCall(random, SIMULATED_NUMBER, clock.now(), kind);
      const [rings, begins, ...others] = simulator.tell(call, accountId ?? '');
      const count = (): Promise<number> => countArchived(database, teamId, id);
      const before = await count();
      for (const request of [rings, begins]) if (request) await sendOne(line, request);
      const rest = sendRest(line, others)
        .then(() => call.message && waitUntilFetched(count, before + 1, signal))
        .catch((err) => log.debug({ err }, 'a demo call stopped early'))
        .then(() => media.stop());
      return { rest };
    } catch (error) {
      await media.stop();
      throw error instanceof CommandRefused ? demoNotPlayed(error.message) : error;
    }
  };

  return {
    /** One at a time: does nothing while another is playing. */
    async play(teamId: string, actor: AuditActor): Promise<void> {
      if (playing.has(teamId)) return;
      const begun = begin(teamId, actor);
      const over = begun.then(({ rest }) => rest).catch(() => undefined);
      playing.set(
        teamId,
        over.finally(() => playing.delete(teamId)),
      );
      await begun;
    },
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(playing.values());
    },
  };
};

export type Demo = ReturnType<typeof createDemo>;
