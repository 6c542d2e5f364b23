import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandRefused } from '../../platform/index.ts';
import type { AuditActor } from '../../teams/index.ts';
import { hasSimulatedCalls } from '../accounts/simulated-account-store.ts';
import type { TelephonyContext } from '../context.ts';
import { createRandom, makeShortCall } from '../contract/simulated-call.ts';
import { demoNotPlayed } from '../errors.ts';
import { canBeSimulated, openSimulatedLine, SIMULATED_NUMBER } from './simulated-line.ts';

/** Kind of the first call. It has a recording to listen to. */
const FIRST = 'message';
const LATER = ['taken', 'missed', 'message'] as const;
/** Pause between requests, slow enough to watch the call. */
const PAUSE_MS = 900;

/** Sends simulated calls to this service, as a provider would. The first leaves a message, and later ones vary. */
export const createDemo = (context: TelephonyContext) => {
  const { clock, log, providers } = context;
  const playing = new Map<string, Promise<void>>();
  const closing = new AbortController();
  const { signal } = closing;
  let played = 0;

  const toRefusal = (error: unknown): never => {
    throw error instanceof CommandRefused ? demoNotPlayed(error.message) : error;
  };

  /** Starts a call. Resolves once it rings; `rest` resolves once it's over. */
  const begin = async (teamId: string, actor: AuditActor): Promise<{ rest: Promise<void> }> => {
    const provider = providers.find(canBeSimulated);
    if (!provider) throw new Error('No provider can be simulated.');
    const line = await openSimulatedLine(context, teamId, actor, provider);
    const isFirst = !(await hasSimulatedCalls(context.database, teamId));
    const kind = isFirst ? FIRST : (LATER[played++ % LATER.length] ?? FIRST);
    const call = makeShortCall(createRandom(randomInt(2 ** 31)), SIMULATED_NUMBER, clock.now(), kind);
    const requests = [...line.tell(call)];
    const sendNext = async (): Promise<void> => {
      const request = requests.shift();
      const status = request ? await line.send(request) : 200;
      if (status >= 300) throw demoNotPlayed(`The service refused a demo call (${status}).`);
    };
    const sendRest = async (): Promise<void> => {
      while (requests.length > 0) {
        await sleep(PAUSE_MS, undefined, { signal });
        await sendNext();
      }
      if (call.message) await line.waitUntilFetched(1, signal);
    };
    try {
      await sendNext();
      await sendNext();
    } catch (error) {
      await line.close();
      throw error;
    }
    const rest = sendRest()
      .catch((err) => log.debug({ err }, 'a demo call stopped early'))
      .then(() => line.close());
    return { rest };
  };

  return {
    /** Plays a call. Returns false, and plays nothing, while another call of the team is playing. */
    async play(teamId: string, actor: AuditActor): Promise<boolean> {
      if (playing.has(teamId)) return false;
      const begun = begin(teamId, actor).catch(toRefusal);
      const over = begun.then(({ rest }) => rest).catch(() => undefined);
      playing.set(
        teamId,
        over.finally(() => playing.delete(teamId)),
      );
      await begun;
      return true;
    },
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(playing.values());
    },
  };
};
