import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import { type Routes, rateLimited, strangerKey } from '../../http/index.ts';
import { createRateLimit, findMisfits, Refusal } from '../../platform/index.ts';
import type { AgentsContext } from '../context.ts';
import { ClientBody, toClientMetadata, toClientName } from './client.ts';
import type { AgentClients } from './clients.ts';
import { checkRedirects } from './redirect-uri.ts';

/** Clients register once for each person, or less often. */
const PER_ADDRESS = 20;
const PER_MINUTE = 300;
const UNNAMED = 'an unnamed program';

/** Refuses in the words of RFC 7591. */
const refuse = (reply: FastifyReply, error: string, description: string): FastifyReply =>
  reply.code(400).header('cache-control', 'no-store').send({ error, error_description: description });

/** Registration for clients that have no document of their own (RFC 7591). Anyone can register, and gets nothing by it. */
export const registrationRoutes =
  ({ clock, newId, redirectSchemes }: AgentsContext, clients: AgentClients, path: string): Routes =>
  (server) => {
    const byAddress = createRateLimit({ clock, perMinute: PER_ADDRESS });
    const together = createRateLimit({ clock, perMinute: PER_MINUTE });

    server.post(path, { config: { access: 'anyone' }, schema: { hide: true } }, async (request, reply) => {
      const wait = byAddress.take(strangerKey(request.ip)) || together.take('');
      if (wait > 0) throw rateLimited(wait);
      const [misfit] = findMisfits(ClientBody, request.body);
      if (misfit) return refuse(reply, 'invalid_client_metadata', `At "${misfit.path}": ${misfit.message}`);
      const { redirect_uris: redirects, client_name: name } = request.body as Static<typeof ClientBody>;
      try {
        checkRedirects(redirects, redirectSchemes);
      } catch (error) {
        if (error instanceof Refusal) return refuse(reply, 'invalid_redirect_uri', error.message);
        throw error;
      }
      const client = { id: newId(), name: toClientName(name, UNNAMED), redirects };
      await clients.register(client);
      reply.code(201).header('cache-control', 'no-store');
      return { ...toClientMetadata(client), client_id_issued_at: Math.floor(clock.now() / 1_000) };
    });
  };
