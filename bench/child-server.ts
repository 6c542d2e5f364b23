import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

const ANSWER_WITHIN_MS = 20_000;

/** What a server in a process of its own says when it listens. */
export type Ready = {
  url: string;
  headers: Record<string, string>;
  /** GET where it is left out. */
  method?: 'GET' | 'POST';
};

const nextMessage = async (child: ChildProcess): Promise<unknown> => {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('A server of the benchmark has ended.');
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message;
  } finally {
    done.abort();
  }
};

/** Starts a server beside this process, so that it does not share an event loop with the load. */
export const startChildServer = async (script: URL, argument: string, cleanUp: AsyncDisposableStack) => {
  const child = fork(script, [argument], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  cleanUp.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const ready = (await nextMessage(child)) as Ready;
  return {
    ...ready,
    /** Processor time that it has used so far. */
    async processorMs(): Promise<number> {
      child.send('processor time');
      return Number(await nextMessage(child));
    },
  };
};

export type ChildServer = Awaited<ReturnType<typeof startChildServer>>;

/** The child's side. It ends when its parent does. */
export const reportToParent = (ready: Ready): void => {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1_000);
  });
  process.once('disconnect', () => process.exit());
  process.send?.(ready);
};
