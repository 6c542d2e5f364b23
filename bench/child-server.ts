import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

const ANSWER_WITHIN_MS = 20_000;

/** The first message of a server in a separate process: how to send it requests. */
export type Ready = {
  url: string;
  headers: Record<string, string>;
  /** Default: GET. */
  method?: 'GET' | 'POST';
};

export const nextMessage = async (child: ChildProcess, withinMs = ANSWER_WITHIN_MS): Promise<unknown> => {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(withinMs)]);
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

/** Starts a server in a separate process, so that it doesn't share an event loop with the load. */
export const startChildServer = async (
  script: URL,
  argument: string,
  cleanUp: AsyncDisposableStack,
  preloads: readonly URL[] = [],
) => {
  const execArgv = preloads.flatMap(({ href }) => ['--import', href]);
  const child = fork(script, [argument], { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  cleanUp.defer(end);
  const ready = (await nextMessage(child)) as Ready;
  const askFor = async <Answer>(question: string, withinMs?: number): Promise<Answer> => {
    child.send(question);
    return (await nextMessage(child, withinMs)) as Answer;
  };
  const ask = (question: string): Promise<number> => askFor(question);
  return {
    ...ready,
    /** The processor time that the server has used so far. */
    processorMs: () => ask('processor time'),
    /** Asks the server for one of its numbers. */
    ask,
    /** Like `ask`, for a result that isn't a single number. */
    askFor,
    end,
  };
};

export type ChildServer = Awaited<ReturnType<typeof startChildServer>>;

/** Called in the child process. Sends `ready` to the parent, and responds to its questions until the parent ends. */
export const reportToParent = <Told extends Ready>(
  ready: Told,
  questions: Readonly<Record<string, () => Promise<unknown>>> = {},
): void => {
  const processorMs = async (): Promise<number> => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  process.on('message', async (question) => {
    const answer = questions[String(question)] ?? processorMs;
    process.send?.((await answer()) ?? null);
  });
  process.once('disconnect', () => process.exit());
  process.send?.(ready);
};
