import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What the server heard: the form as it was sent. */
export type Heard = {
  path: string;
  authorization: string | undefined;
  fields: Record<string, string>;
  file: { name: string; type: string; bytes: Buffer } | null;
};

type Respond = (response: ServerResponse, heard: Heard) => unknown;

/** Answers as OpenAI's API does in `verbose_json`. */
export const verboseJson = (text: string, more: object = {}): string =>
  JSON.stringify({ task: 'transcribe', language: 'english', duration: 4.2, text, segments: [], ...more });

const answer =
  (text: string, more: object = {}): Respond =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(verboseJson(text, more));

const readForm = async (request: IncomingMessage, body: Buffer): Promise<Pick<Heard, 'fields' | 'file'>> => {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(new Uint8Array(body), { headers }).formData();
  const fields: Record<string, string> = {};
  let file: Heard['file'] = null;
  for (const [name, value] of form)
    if (typeof value === 'string') fields[name] = value;
    else file = { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) };
  return { fields, file };
};

/**
 * A server that speaks `POST /v1/audio/transcriptions`. It parses the form with the platform's own parser, and refuses
 * what OpenAI refuses: another path or method, a wrong key, and a form without a file or a model.
 */
export const startTranscriptionServer = async ({ key = '' } = {}) => {
  const heard: Heard[] = [];
  const stage = {
    url: '',
    heard,
    /** How the next requests are answered. */
    respond: answer('Please call me back about the fence.') as Respond,
    answer,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  const refuse = (response: ServerResponse, status: number) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: 'no' } }));

  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => null);
    if (!body) return;
    const path = request.url ?? '';
    const { authorization } = request.headers;
    if (path !== '/v1/audio/transcriptions') return refuse(response, 404);
    if (request.method !== 'POST') return refuse(response, 405);
    if (key !== '' && authorization !== `Bearer ${key}`) return refuse(response, 401);
    const form = await readForm(request, body).catch(() => null);
    if (!form?.file || form.fields['model'] === undefined) return refuse(response, 400);
    const told = { path, authorization, ...form };
    heard.push(told);
    return stage.respond(response, told);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  stage.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return stage;
};

export type TranscriptionServer = Awaited<ReturnType<typeof startTranscriptionServer>>;
