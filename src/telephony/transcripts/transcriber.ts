import type { Secret } from '../../platform/index.ts';

/** The operator's own server for transcripts, which speaks `POST /v1/audio/transcriptions`. */
export type Transcriber = { url: string; key: Secret | null; model: string };
