// Runs commands one after the other, each as if in its own process, because loading the program takes longer than most
// commands do.
import { main } from '../../src/cli.ts';
import type { Asked, Ran } from './run-command.ts';

const listen = (stream: NodeJS.WriteStream) => {
  const write = stream.write;
  const heard = {
    said: '',
    stop(): void {
      stream.write = write;
    },
  };
  stream.write = (chunk: string | Uint8Array): boolean => {
    heard.said += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  return heard;
};

const run = async ({ args, env }: Asked): Promise<Ran> => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = undefined;
  const [stdout, stderr] = [listen(process.stdout), listen(process.stderr)];
  try {
    await main(args);
    return { code: Number(process.exitCode ?? 0), stdout: stdout.said, stderr: stderr.said };
  } catch (error) {
    // An unexplained error ends a process with code 1 and a stack.
    return { code: 1, stdout: stdout.said, stderr: `${stderr.said}${error instanceof Error ? error.stack : error}` };
  } finally {
    stdout.stop();
    stderr.stop();
    process.exitCode = 0;
  }
};

process.on('message', async (asked: Asked) => process.send?.(await run(asked)));
process.on('disconnect', () => process.exit());
