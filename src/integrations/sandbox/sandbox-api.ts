import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Routes } from '../../http/index.ts';
import { PATHS, ROOT } from './record.ts';

const API = PATHS.api;

const PAGE = 10;
const NAMES =
  'Ada Brooks,Ben Castillo,Cara Dunn,Dev Patel,Elif Kaya,Finn Larsen,Grace Okoro,Hugo Martin,Iris Novak,Jonas Berg,Kim Tran,Lena Fischer,Mateo Rossi,Nora Haddad,Owen Price,Priya Nair,Quinn Avery,Rosa Silva,Sami Virtanen,Tess Walker,Umar Khan,Vera Popova,Will Turner,Yuki Tanaka,Zoe Laurent'.split(
    ',',
  );
/** The last digits of the first contact's number, in the range reserved for fiction. Demo calls come from contacts. */
const FIRST_NUMBER = 102;
const CONTACTS = NAMES.map((name, index) => ({
  id: index + 1,
  name,
  email: `contact-${index + 1}@sandbox.test`,
  phone: `+1555555${String(FIRST_NUMBER + index).padStart(4, '0')}`,
}));

/** How many logged calls are kept, in the memory of this process. */
const MOST_CALLS = 1_000;

/** A call that was logged. */
type SandboxCall = Record<string, unknown> & { id: number; callId: unknown };

const route = { schema: { hide: true }, config: { access: 'anyone' } } as const;

/** Finds the account of a token. Null if the token doesn't work. */
type FindAccount = (authorization: string) => Promise<unknown>;

const readPage = (url: string): number => Number(new URL(url, 'http://sandbox').searchParams.get('page') ?? '1');

/** A small API for the sandbox's tokens, so that people can try the proxy: with pages, a 401 and a 429. */
export const sandboxApi =
  (base: string, findAccount: FindAccount): Routes =>
  (server) => {
    // Make errors look like another service's, so that nobody mistakes them for Patchbay's own refusals in the proxy's
    // responses.
    server.setErrorHandler((error: { status?: number; statusCode?: number; message: string }, _request, reply) => {
      const status = error.status ?? error.statusCode ?? 500;
      if (status >= 500) throw error;
      return reply
        .code(status)
        .send({ error: 'sandbox_refused', message: `The sandbox refused this. ${error.message}` });
    });

    const forAccount =
      (respond: (request: FastifyRequest, reply: FastifyReply, account: unknown) => unknown) =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
        const account = await findAccount(request.headers.authorization ?? '');
        if (account) return respond(request, reply, account);
        return reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'invalid_token' });
      };

    server.get(
      `${ROOT}${API}/me`,
      route,
      forAccount((_request, _reply, account) => account),
    );

    server.get(
      `${ROOT}${API}/contacts`,
      route,
      forAccount((request, reply) => {
        const page = readPage(request.url);
        if (!Number.isInteger(page) || page < 1) return reply.code(400).send({ error: 'page must be a whole number' });
        const contacts = CONTACTS.slice((page - 1) * PAGE, page * PAGE);
        const hasMore = page * PAGE < CONTACTS.length;
        if (hasMore) reply.header('link', `<${base}${ROOT}${API}/contacts?page=${page + 1}>; rel="next"`);
        return { contacts, nextPage: hasMore ? page + 1 : null };
      }),
    );

    server.post(
      `${ROOT}${API}/contacts`,
      route,
      forAccount((request, reply) => reply.code(201).send({ id: CONTACTS.length + 1, ...Object(request.body) })),
    );

    server.get(
      `${ROOT}${API}/contacts/search`,
      route,
      forAccount((request) => {
        const phone = new URL(request.url, 'http://sandbox').searchParams.get('phone');
        return { contacts: CONTACTS.filter((contact) => contact.phone === phone) };
      }),
    );

    const calls: SandboxCall[] = [];
    let lastCall = 0;

    server.get(
      `${ROOT}${API}/calls`,
      route,
      forAccount((request) => {
        const callId = new URL(request.url, 'http://sandbox').searchParams.get('callId');
        return { calls: callId === null ? calls : calls.filter((call) => call.callId === callId) };
      }),
    );

    server.post(
      `${ROOT}${API}/calls`,
      route,
      forAccount((request, reply) => {
        const fields: Record<string, unknown> = Object(request.body);
        const call = { ...fields, callId: fields['callId'], id: ++lastCall };
        calls.push(call);
        if (calls.length > MOST_CALLS) calls.shift();
        return reply.code(201).send(call);
      }),
    );

    server.patch(
      `${ROOT}${API}/calls/:id`,
      route,
      forAccount((request, reply) => {
        const call = calls.find(({ id }) => String(id) === Object(request.params).id);
        if (!call) return reply.code(404).send({ error: 'not_found' });
        return Object.assign(call, request.body, { id: call.id });
      }),
    );

    server.get(
      `${ROOT}${API}/busy`,
      route,
      forAccount((_request, reply) => reply.code(429).header('retry-after', '2').send({ error: 'too_many_requests' })),
    );

    server.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url: `${ROOT}${API}/*`,
      ...route,
      handler: (_request, reply) =>
        reply.code(404).send({ error: 'not_found', message: 'The sandbox has no such path with this method.' }),
    });
  };
