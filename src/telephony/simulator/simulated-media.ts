import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const RATE = 8_000;
const HEADER_BYTES = 44;
const SECONDS = 3;

/** A soft tone as a WAV file, so there is something to listen to. */
const makeTone = (): Buffer => {
  const samples = RATE * SECONDS;
  const file = Buffer.alloc(HEADER_BYTES + samples * 2);
  file.write('RIFF', 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(samples * 2, 40);
  for (let index = 0; index < samples; index++)
    file.writeInt16LE(Math.round(6_000 * Math.sin((2 * Math.PI * 440 * index) / RATE)), HEADER_BYTES + index * 2);
  return file;
};

/** Stands in for the provider's media host during simulations: every recording is the same tone. */
export const startSimulatedMedia = async () => {
  const tone = makeTone();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': tone.length }).end(tone);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
