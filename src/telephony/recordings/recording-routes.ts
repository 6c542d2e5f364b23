import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, type Routes } from '../../http/index.ts';
import { type Clock, type Database, type Log, Refusal, Type } from '../../platform/index.ts';
import { type AuditLog, actorOf } from '../../teams/index.ts';
import type { ByteRange, Vault } from '../../vault/index.ts';
import { extensionOf } from '../audio/audio-type.ts';
import { rangeOf } from '../audio/byte-range.ts';
import { isStorageAway } from '../audio/recording-bucket.ts';
import type { RecordingStorage } from '../audio/recording-storage.ts';
import { recordingUnknown } from '../errors.ts';
import { type ArchivedRecording, openAudio, toArchived } from './open-audio.ts';
import { Recording, toRecordingAnswer } from './recording-answer.ts';
import { findCallOfRecording } from './recording-call-store.ts';
import { getRecording, type RecordingRow } from './recording-store.ts';

export type RecordingRouteDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  log: Log;
  storage: RecordingStorage;
  audit: AuditLog;
};

/** A player that seeks requests many parts in one listen. */
const ONE_LISTEN_MS = 60_000;
const MOST_LISTENS = 10_000;

/** Tracks who just listened to what. Starting over, or coming back after a while, is a new listen. */
const createListens = ({ clock }: { clock: Clock }) => {
  let last = new Map<string, number>();
  return {
    isNew(key: string, isBeginning: boolean): boolean {
      const now = clock.now();
      const before = last.get(key);
      if (last.size >= MOST_LISTENS) last = new Map();
      last.set(key, now);
      return isBeginning || before === undefined || now - before >= ONE_LISTEN_MS;
    },
  };
};

const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });

const audioAnswer = (description: string) => ({
  description,
  content: { 'audio/*': { schema: { type: 'string', format: 'binary' } } },
});

const rangeOutside = (bytes: number): Refusal =>
  new Refusal(416, 'telephony.range_outside', 'The requested range is past the end of the recording.', {
    headers: { 'content-range': `bytes */${bytes}`, 'accept-ranges': 'bytes' },
  });

const storageAway = (): Refusal =>
  new Refusal(503, 'telephony.storage_away', "The audio can't be read right now. Try again soon.", {
    headers: { 'retry-after': '10' },
  });

const nameOf = ({ id, contentType }: ArchivedRecording): string => `recording-${id}.${extensionOf(contentType)}`;

/** The headers for the audio. */
const announce = (reply: FastifyReply, recording: ArchivedRecording, etag: string, part: ByteRange | null): void => {
  const { bytes, contentType } = recording;
  reply.code(part ? 206 : 200).headers({
    'content-type': contentType ?? 'application/octet-stream',
    'content-length': part?.length ?? bytes,
    'content-disposition': `inline; filename="${nameOf(recording)}"`,
    'accept-ranges': 'bytes',
    etag,
    ...(part && { 'content-range': `bytes ${part.start}-${part.start + part.length - 1}/${bytes}` }),
  });
};

export const recordingRoutes =
  (dependencies: RecordingRouteDependencies): Routes =>
  (server) => {
    const { database, log, audit } = dependencies;
    const listens = createListens(dependencies);
    const tags = ['calls'];

    const find = async (request: FastifyRequest, id: string): Promise<RecordingRow> => {
      const recording = await getRecording(database, callerOf(request).teamId, id);
      if (!recording) throw recordingUnknown();
      return recording;
    };

    const open = (recording: ArchivedRecording, range: ByteRange) =>
      openAudio(dependencies, recording, range).catch((err) => {
        if (!isStorageAway(err)) throw err;
        log.warn({ err, recording: recording.id }, 'a recording cannot be read because its storage is unavailable');
        throw storageAway();
      });

    server.get(
      '/api/recordings/:id',
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: 'Get a recording',
          params: ById,
          response: { 200: Type.Object({ recording: Recording }) },
        },
      },
      async (request) => {
        const recording = await find(request, request.params.id);
        return { recording: toRecordingAnswer(recording, await findCallOfRecording(database, recording)) };
      },
    );

    server.get(
      '/api/recordings/:id/audio',
      {
        config: { access: 'member' },
        // Metadata only, so not a listen.
        exposeHeadRoute: true,
        schema: {
          tags,
          summary: 'Get the audio of a recording',
          description: 'Accepts one range at a time (`Range: bytes=…`). The audit log records every listen.',
          params: ById,
          response: { 200: audioAnswer('The whole recording'), 206: audioAnswer('The requested part') },
        },
      },
      async (request, reply) => {
        const recording = toArchived(await find(request, request.params.id));
        const { id, teamId, bytes, sha256 } = recording;
        const etag = `"${sha256}"`;
        // A range means nothing on a HEAD (RFC 9110, 14.2).
        const isHead = request.method === 'HEAD';
        const asked = rangeOf(isHead ? {} : request.headers, { bytes, etag });
        if (asked.kind === 'outside') throw rangeOutside(bytes);
        const part = asked.kind === 'part' ? asked.range : null;
        if (isHead) {
          announce(reply, recording, etag, null);
          // Sent as a stream, or its content length would be 0.
          return reply.send(Readable.from([]));
        }
        const range = part ?? { start: 0, length: bytes };
        const audio = await open(recording, range);
        if (listens.isNew(`${callerOf(request).userId} ${id}`, range.start === 0))
          await audit(teamId, actorOf(request), { action: 'recording.listen', target: id }).catch((error) => {
            audio.destroy();
            throw error;
          });
        announce(reply, recording, etag, part);
        return reply.send(audio);
      },
    );
  };
