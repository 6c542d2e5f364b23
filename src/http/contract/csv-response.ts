import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Whether the caller asks for a CSV file instead of JSON. */
export const wantsCsv = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /text\/csv/i.test(headers.accept ?? '');

/** Sends lines of CSV as a file to download. `name` is the file's name without its ending. */
export const sendCsv = (reply: FastifyReply, name: string, lines: Readable): FastifyReply =>
  reply
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(lines);
