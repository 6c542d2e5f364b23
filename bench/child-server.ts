import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

const READY_WITHIN_MS = 20_000;

/** What a server in a process of its own says when it listens. */
export type Ready = { url: string; headers: Record<string, string> };

const ask = async <Answer>(child: ChildProcess, question?: string): Promise<Answer> => {
  const answered = once(child, 'message', { signal: AbortSignal.timeout(READY_WITHIN_MS) });
  const gone = once(child, 'exit').then(() => Promise.reject(new Error('A server of the benchmark has ended.')));
  if (question !== undefined) child.send(question);
  const [answer] = await Promise.race([answered, gone]);
  return answer as Answer;
};

/** Starts a server beside this process, so that it does not share an event loop with the load. */
export const startChildServer = async (script: URL, args: readonly string[], cleanUp: AsyncDisposableStack) => {
  const child = fork(script, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  cleanUp.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const ready = await ask<Ready>(child);
  return {
    ...ready,
    /** Processor time that it has used so far. */
    processorMs: () => ask<number>(child, 'processor time'),
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
