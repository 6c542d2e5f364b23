import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/** A keep-alive connection that writes a request as is and finds the end of the response. */
export type Connection = { exchange(request: Buffer): Promise<number>; isOpen(): boolean; close(): void };

const lengthOf = (head: string): number => Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);

const readAnswer = (socket: Socket): Promise<number> =>
  new Promise((resolve, reject) => {
    let text = '';
    const done = (): void => {
      socket.off('data', onData);
      socket.off('close', onClose);
    };
    const onClose = (): void => {
      done();
      reject(new Error('A server of the benchmark has closed a connection.'));
    };
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const end = text.indexOf(END_OF_HEAD);
      if (end === -1 || text.length < end + END_OF_HEAD.length + lengthOf(text.slice(0, end + 2))) return;
      done();
      resolve(Number(text.slice(9, 12)));
    };
    socket.on('data', onData);
    socket.on('close', onClose);
  });

export const openConnection = async (url: string): Promise<Connection> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  // Ignore the error here. The close event that follows it rejects the pending response.
  socket.on('error', () => undefined);
  return {
    exchange(request) {
      const answer = readAnswer(socket);
      socket.write(request);
      return answer;
    },
    isOpen: () => socket.writable,
    close: () => socket.destroy(),
  };
};
