import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Samples per second, of one byte each. */
const RATE = 8_000;
const HEADER_BYTES = 44;
const SHORTEST_SECONDS = 3;
const [MIDDLE, LOUDNESS] = [128, 24];

/** Makes a soft tone as a WAV file, so that there is something to listen to. */
export const makeTone = (seconds: number): Buffer => {
  const samples = RATE * seconds;
  const file = Buffer.alloc(HEADER_BYTES + samples);
  file.write('RIFF', 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write('data', 36);
  file.writeUInt32LE(samples, 40);
  for (let index = 0; index < samples; index++)
    file.writeUInt8(Math.round(MIDDLE + LOUDNESS * Math.sin((2 * Math.PI * 440 * index) / RATE)), HEADER_BYTES + index);
  return file;
};

/** Starts a stand-in for the provider's media host. Every recording is a tone of the expected length. */
export const startSimulatedMedia = async () => {
  const lengths = new Map<string, number>();
  /** Finds the length of a recording by the id in its path. Providers write our ids with a prefix or with dashes. */
  const lengthOf = (path: string): number => {
    const ids = path.replaceAll('-', '').match(/[0-9a-f]{32}/g) ?? [];
    return ids.map((id) => lengths.get(id)).find((seconds) => seconds !== undefined) ?? SHORTEST_SECONDS;
  };
  const server = createServer(({ url = '' }, response) => {
    const tone = makeTone(lengthOf(url));
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': tone.length }).end(tone);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Sets the length of a recording. */
    expect: (recordingId: string, seconds: number): void => void lengths.set(recordingId, seconds),
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
