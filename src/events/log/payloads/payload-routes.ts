import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { callerOf, type Routes, routeOptions, withRight } from '../../../http/index.ts';
import { Type } from '../../../platform/index.ts';
import { createOpenStreams } from '../../../teams/index.ts';
import { tooManyPayloads } from '../../errors.ts';
import type { PayloadReader } from './show-payload.ts';

type Payloads = { showPayload(reader: PayloadReader, id: string): Promise<Readable> };

const MOST_DOWNLOADS = { perUser: 6, perTeam: 30, inTotal: 200 };

const schema = {
  summary: 'Download the payload of an event that was too large to be in its data',
  description: 'As JSON, as the provider sent it, up to 25 MiB. `data.payloadUrl` is this address.',
  params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
  response: {
    200: { description: 'What the provider sent', content: { 'application/json': { schema: {} } } },
  },
};

const send = (reply: FastifyReply, id: string, payload: Readable): FastifyReply =>
  reply
    .headers({ 'content-type': 'application/json', 'content-disposition': `attachment; filename="${id}.json"` })
    .send(payload);

export const payloadRoutes =
  ({ showPayload }: Payloads): Routes =>
  (server) => {
    const downloads = createOpenStreams(MOST_DOWNLOADS, tooManyPayloads);

    server.get(
      '/api/events/:id/payload',
      withRight('events', routeOptions('member', 'events')(schema)),
      async (request, reply) => {
        const { id } = request.params;
        const caller = callerOf(request);
        const payload = await downloads.addOpening(caller, () => showPayload(caller, id));
        return send(reply, id, payload);
      },
    );

    server.get(
      '/api/operator/events/:id/payload',
      routeOptions({ door: 'operator', whenUnset: 'hide' }, 'operator')(schema),
      async (request, reply) => send(reply, request.params.id, await showPayload(null, request.params.id)),
    );
  };
