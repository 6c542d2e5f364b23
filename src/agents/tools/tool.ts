import type { ServerResponse } from 'node:http';
import type { Static, TSchema } from 'typebox';
import type { Caller, Restriction } from '../../http/index.ts';
import type { TraceContext } from '../../platform/index.ts';
import type { AgentsContext } from '../context.ts';

/** The request that a tool is called with. */
export type ToolCall = {
  caller: Caller & { restriction: Restriction };
  /** What the tool does ends when this response is closed. */
  response: ServerResponse;
  trace: TraceContext | null;
  /** Throws if the caller has lost their rights. */
  checkCaller(): Promise<Caller>;
};

/** What a client may tell a person about a tool before it's called. */
type Hints = { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };

export type Tool = {
  name: string;
  title: string;
  /** For a model: what it's for, when to use it, and an example. */
  description: string;
  input: TSchema;
  output: TSchema;
  hints: Hints;
  /** Whether a token can use it at all. If not, it isn't listed. */
  isFor(restriction: Restriction): boolean;
  run(context: AgentsContext, call: ToolCall, input: never): Promise<object>;
};

/** It reads what Patchbay itself has. */
export const READS: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const defineTool = <Input extends TSchema, Output extends TSchema>(
  tool: Omit<Tool, 'input' | 'output' | 'run'> & {
    input: Input;
    output: Output;
    run(context: AgentsContext, call: ToolCall, input: Static<Input>): Promise<Static<Output>>;
  },
): Tool => tool;
