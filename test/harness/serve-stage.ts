import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import {
  makeDataDirectory,
  type Program,
  type RunOptions,
  type Serving,
  startProgram,
  startServe,
} from './serve-process.ts';

type Environment = Readonly<Record<string, string>>;

/** Processes, directories and connections of one test, cleaned up at its end. */
export const openServeStage = (context: TestContext) => {
  const undo: (() => unknown)[] = [];
  context.after(async () => {
    for (const step of undo.reverse()) await step();
  });

  return {
    newDirectory(): string {
      const { path, remove } = makeDataDirectory();
      undo.push(remove);
      return path;
    },
    async serve(env: Environment, options?: RunOptions): Promise<Serving> {
      const serving = await startServe(env, options);
      undo.push(() => serving.end());
      return serving;
    },
    run(env: Environment, options?: RunOptions): Program {
      const program = startProgram(env, options);
      undo.push(() => program.end());
      return program;
    },
    /** A connection that has sent this much and stays open. */
    async connect(port: number, text: string) {
      const socket = connect(port, '127.0.0.1');
      undo.push(() => socket.destroy());
      let heard = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        heard += chunk;
      });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(text);
      return { say: (more: string) => socket.write(more), heard: () => heard };
    },
  };
};

export type ServeStage = ReturnType<typeof openServeStage>;
