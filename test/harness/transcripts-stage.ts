import { Readable } from 'node:stream';
import type { App } from '../../src/app.ts';
import { createOutbound, type Engine, type Outbound } from '../../src/platform/index.ts';
import { fetchRecording, handleFetchRecording } from '../../src/telephony/recordings/fetch-recording.job.ts';
import { handleTranscribeRecording } from '../../src/telephony/transcription/handle-transcription.ts';
import { newCallSid, newRecordingSid, openTelephonyStage } from './telephony-stage.ts';
import { startTranscriptionServer } from './transcription-server.ts';

export const TRANSCRIBE_KEY = 'key-of-the-transcription-server-0123456789';
export const AUDIO = Buffer.concat([Buffer.from('ID3'), Buffer.alloc(100_000, 7)]);

/** The service with a transcription server, and a provider that has the audio of every recording. */
export const openTranscriptsStage = async (
  engine: Engine,
  {
    answer = { transcribe: 'own' },
    env = {},
    audio = { type: 'audio/mpeg', bytes: AUDIO },
  }: { answer?: object; env?: Record<string, string>; audio?: { type: string; bytes: Buffer } } = {},
) => {
  const server = await startTranscriptionServer({ key: TRANSCRIBE_KEY });
  const real = createOutbound({ allowPrivate: false });
  const outbound: Outbound = {
    request: real.request,
    open: async () => ({ status: 200, headers: { 'content-type': audio.type }, body: Readable.from([audio.bytes]) }),
  };
  const stage = await openTelephonyStage(engine, {
    outbound,
    answer,
    env: { TRANSCRIBE_URL: server.url, TRANSCRIBE_KEY, TRANSCRIBE_MODEL: 'small', ...env },
  });
  const signal = new AbortController().signal;

  /** A team with a voicemail whose recording is on its way, and what may happen to it. */
  const openVoicemail = async (made?: Awaited<ReturnType<typeof stage.newTeam>>) => {
    const team = made ?? (await stage.newTeam());
    const callSid = newCallSid();
    const recordingSid = newRecordingSid();
    const rowOf = async () => {
      const sql = 'select id from recordings where team_id = $1 and external_id = $2';
      const row = await stage.app.database.get<{ id: string }>(sql, [team.team.id, recordingSid]);
      if (!row) throw new Error('There is no such recording.');
      return { teamId: team.team.id, recordingId: row.id };
    };
    return {
      ...team,
      callSid,
      recordingSid,
      rowOf,
      leave: async () => {
        await team.line.rings(callSid);
        await team.line.leavesMessage(callSid);
        await team.line.status(callSid, 'completed');
        await team.line.recorded(callSid, recordingSid);
        await stage.app.telephony.settle();
      },
      fetch: async (app: App = stage.app) =>
        handleFetchRecording(app.telephony.context)(await rowOf(), { attempt: fetchRecording.attempts, signal }),
      /** Runs the job once. Jobs for it that wait are gone then, as they are when they run. */
      transcribe: async (attempt = 1, app: App = stage.app) => {
        const name = await rowOf();
        await stage.app.database.run("delete from jobs where name = 'transcribe-recording' and payload like $1", [
          `%${name.recordingId}%`,
        ]);
        await handleTranscribeRecording(app.telephony.context)(name, { attempt, signal });
      },
      /** The recording as its team gets it. */
      read: async () => (await team.get(`/api/recordings/${(await rowOf()).recordingId}`)).json().recording,
      /** How long the next job waits. Null if there is none. */
      dueIn: async (): Promise<number | null> => {
        const { recordingId } = await rowOf();
        const row = await stage.app.database.get<{ waits: number }>(
          "select run_at - created_at as waits from jobs where name = 'transcribe-recording' and payload like $1",
          [`%${recordingId}%`],
        );
        return row?.waits ?? null;
      },
    };
  };

  return {
    ...stage,
    transcriber: server,
    openVoicemail,
    async close(): Promise<void> {
      await stage.close();
      await server.close();
    },
  };
};

export type TranscriptsStage = Awaited<ReturnType<typeof openTranscriptsStage>>;
