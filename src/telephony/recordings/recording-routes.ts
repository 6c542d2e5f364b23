import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, callerOf, type Routes, routeOptions, withRight } from '../../http/index.ts';
import { currentWork, readOpenFileLimit, Type, toIso, workFor } from '../../platform/index.ts';
import { actorOf, createAuditLog, createOpenStreams, whileStillIn } from '../../teams/index.ts';
import type { ByteRange } from '../../vault/index.ts';
import { extensionOf } from '../audio/audio-type.ts';
import { rangeOf } from '../audio/byte-range.ts';
import { isStorageAway } from '../audio/recording-bucket.ts';
import type { TelephonyContext } from '../context.ts';
import { RecordingLost } from '../contract/recording-storage.ts';
import { ById } from '../contract/schemas.ts';
import { audioMissing, rangeOutside, recordingUnknown, storageAway, tooManyDownloads } from '../errors.ts';
import { type ArchivedRecording, openAudio, toArchived } from './open-audio.ts';
import { findCallOfRecording, getRecording, type RecordingRow } from './recording-store.ts';
import { RecordingView, viewRecording } from './recording-view.ts';

/** How long requests count as one listen. A player requests many parts when someone seeks. */
const ONE_LISTEN_MS = 60_000;
const MOST_LISTENS = 10_000;

/** How many downloads may be open. Each has a file or a connection open for as long as its reader takes. */
const MOST_DOWNLOADS = { perUser: 6, perTeam: 30 };
const mostDownloadsInTotal = (): number => Math.min(1_000, Math.floor(readOpenFileLimit() / 8));

/**
 * Tracks who just listened to which recording, with which session or token. Starting over, or coming back after a while,
 * is a new listen, and so is listening with another one: it may be stolen.
 */
const createListens = ({ clock }: TelephonyContext) => {
  let last = new Map<string, number>();
  const keyOf = ({ userId, sessionId, tokenId }: Caller, id: string): string =>
    `${userId} ${sessionId ?? tokenId ?? ''} ${id}`;
  return {
    isNew(caller: Caller, id: string, isBeginning: boolean): boolean {
      const before = last.get(keyOf(caller, id));
      return isBeginning || before === undefined || clock.now() - before >= ONE_LISTEN_MS;
    },
    note(caller: Caller, id: string): void {
      if (last.size >= MOST_LISTENS) last = new Map();
      last.set(keyOf(caller, id), clock.now());
    },
  };
};

const audioOf = (description: string) => ({
  description,
  content: { 'audio/*': { schema: { type: 'string', format: 'binary' } } },
});

const nameOf = ({ id, contentType }: ArchivedRecording): string => `recording-${id}.${extensionOf(contentType)}`;

/** Sets the status and headers for the audio. */
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
  (context: TelephonyContext): Routes =>
  (server) => {
    const { database, log, vault } = context;
    const audit = createAuditLog(context);
    const listens = createListens(context);
    const downloads = createOpenStreams({ ...MOST_DOWNLOADS, inTotal: mostDownloadsInTotal() }, tooManyDownloads);
    const forMembers = routeOptions('member', 'calls');

    const find = async (request: FastifyRequest, id: string): Promise<RecordingRow> => {
      const recording = await getRecording(database, callerOf(request).teamId, id);
      if (!recording) throw recordingUnknown();
      return recording;
    };

    /** Records a listen in the audit log. The call and the time show which recording it was. */
    const auditListen = async (request: FastifyRequest, recording: RecordingRow): Promise<void> => {
      const detail = {
        call: await findCallOfRecording(database, recording),
        recordedAt: toIso(recording.startedAt ?? recording.createdAt),
      };
      await audit(recording.teamId, actorOf(request), { action: 'recording.listen', target: recording.id, detail });
    };

    /**
     * Opens the audio. The work gets an owner of its own, so that downloads from a bucket don't use up the team's limit
     * for outgoing requests.
     */
    const open = (recording: ArchivedRecording, range: ByteRange) =>
      workFor({ ...currentWork(), owner: `${recording.teamId} downloads` }, () =>
        openAudio(context, recording, range),
      ).catch((err) => {
        if (err instanceof RecordingLost) {
          log.error({ err, recording: recording.id }, 'the audio of a recording is missing');
          throw audioMissing();
        }
        if (!isStorageAway(err)) throw err;
        log.warn({ err, recording: recording.id }, 'a recording cannot be read because its storage is unavailable');
        throw storageAway();
      });

    server.get(
      '/api/recordings/:id',
      withRight(
        'recordings',
        forMembers({
          summary: 'Get a recording',
          params: ById,
          response: { 200: Type.Object({ recording: RecordingView }) },
        }),
      ),
      async (request) => {
        const recording = await find(request, request.params.id);
        return { recording: await viewRecording(vault, database, recording) };
      },
    );

    server.get(
      '/api/recordings/:id/audio',
      {
        ...withRight(
          'recordings',
          forMembers({
            summary: 'Get the audio of a recording',
            description: 'Accepts one range at a time (`Range: bytes=…`). The audit log records every listen.',
            params: ById,
            response: { 200: audioOf('The whole recording'), 206: audioOf('The requested part') },
          }),
        ),
        // A HEAD request reads only metadata, so it's not a listen.
        exposeHeadRoute: true,
      },
      async (request, reply) => {
        const recording = toArchived(await find(request, request.params.id));
        const { id, bytes, sha256 } = recording;
        const etag = `"${sha256}"`;
        // A HEAD request ignores ranges (RFC 9110, 14.2).
        const isHead = request.method === 'HEAD';
        const asked = rangeOf(isHead ? {} : request.headers, { bytes, etag });
        if (asked.kind === 'outside') throw rangeOutside(bytes);
        const part = asked.kind === 'part' ? asked.range : null;
        if (isHead) {
          announce(reply, recording, etag, null);
          // Sends a stream, because otherwise the content length would be 0.
          return reply.send(Readable.from([]));
        }
        const range = part ?? { start: 0, length: bytes };
        const caller = callerOf(request);
        const audio = await downloads.addOpening(caller, async () =>
          whileStillIn(context, caller, await open(recording, range)),
        );
        if (listens.isNew(caller, id, range.start === 0))
          await auditListen(request, recording).catch((error) => {
            audio.destroy();
            throw error;
          });
        listens.note(caller, id);
        announce(reply, recording, etag, part);
        // The client may have left, or got a timeout. Nobody will read the audio then.
        if (reply.sent || request.socket.destroyed) audio.destroy();
        return reply.send(audio);
      },
    );
  };
