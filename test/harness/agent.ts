import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export type Result = { content?: unknown; structuredContent?: unknown; isError?: boolean };

/** An agent with the official client. */
export const connectAgent = async (port: number, headers: Record<string, string>) => {
  const client = new Client({ name: 'test-agent', version: '1.0.0' });
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return {
    listTools: async () => (await client.listTools()).tools,
    call: async (name: string, args: Record<string, unknown> = {}) =>
      (await client.callTool({ name, arguments: args })) as Result,
    close: () => client.close(),
  };
};

export type Agent = Awaited<ReturnType<typeof connectAgent>>;

/** The problem that a tool returned. */
export const problemIn = ({ content, isError, structuredContent }: Result) => {
  assert.equal(isError, true, JSON.stringify(content));
  assert.equal(structuredContent, undefined, 'Structured content in an error breaks older clients.');
  const [block] = content as [{ type: string; text: string }];
  return JSON.parse(block.text);
};

/** What a tool returned, which is also its text, for clients that read nothing else. */
export const resultOf = <Value = Record<string, unknown>>({ content, isError, structuredContent }: Result): Value => {
  const [block] = content as [{ type: string; text: string }];
  assert.notEqual(isError, true, block.text);
  assert.deepEqual(JSON.parse(block.text), structuredContent);
  return structuredContent as Value;
};
