/** How many bytes are needed to recognize a type. */
export const HEAD_BYTES = 12;

const text = (head: Buffer, start: number, end: number): string => head.toString('latin1', start, end);

const SIGNS: readonly [type: string, sign: (head: Buffer) => boolean][] = [
  ['audio/wav', (head) => text(head, 0, 4) === 'RIFF' && text(head, 8, 12) === 'WAVE'],
  ['audio/mpeg', (head) => text(head, 0, 3) === 'ID3'],
  ['audio/ogg', (head) => text(head, 0, 4) === 'OggS'],
  ['audio/mp4', (head) => text(head, 4, 8) === 'ftyp'],
  ['audio/flac', (head) => text(head, 0, 4) === 'fLaC'],
  ['audio/amr', (head) => text(head, 0, 5) === '#!AMR'],
  ['audio/basic', (head) => text(head, 0, 4) === '.snd'],
  ['audio/aiff', (head) => text(head, 0, 4) === 'FORM' && /^AIF[FC]$/.test(text(head, 8, 12))],
  ['audio/webm', (head) => head.readUInt32BE(0) === 0x1a45dfa3],
  // Frames without an ID3 tag. They start with eleven or twelve sync bits, then a valid version and layer.
  ['audio/aac', (head) => (head.readUInt16BE(0) & 0xfff6) === 0xfff0],
  ['audio/mpeg', (head) => (head.readUInt16BE(0) & 0xffe0) === 0xffe0 && isFrame(head[1] ?? 0, head[2] ?? 0)],
];

const isFrame = (second: number, third: number): boolean => {
  const [version, layer] = [(second >> 3) & 3, (second >> 1) & 3];
  const [bitRate, sampleRate] = [third >> 4, (third >> 2) & 3];
  // Accepts only layers II and III, because a frame of layer I can start like text in UTF-16 (FF FE).
  return version !== 1 && (layer === 1 || layer === 2) && bitRate !== 15 && sampleRate !== 3;
};

/** Recognizes the type of audio by its first bytes. Returns null for anything else. */
export const sniffAudio = (head: Buffer): string | null =>
  head.length < HEAD_BYTES ? null : (SIGNS.find(([, sign]) => sign(head))?.[0] ?? null);

/** Types that buckets send if the real type wasn't set. */
const UNSPECIFIC = new Set(['application/octet-stream', 'binary/octet-stream']);

/**
 * Decides which type to store: the declared one if it is audio, or what the bytes show if it is one of `UNSPECIFIC`.
 * Returns null for anything else.
 */
export const audioTypeOf = (contentType: string | undefined, head: Buffer): string | null => {
  const told = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (/^audio\/[a-z0-9][a-z0-9.+-]{0,60}$/.test(told)) return told;
  return UNSPECIFIC.has(told) ? sniffAudio(head) : null;
};

const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/webm': 'webm',
  'audio/amr': 'amr',
};

export const extensionOf = (contentType: string | null): string => EXTENSIONS[contentType ?? ''] ?? 'audio';
