import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export type FrontDoor = {
  readonly port: number;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** How a TLS connection begins. No request in the clear does. */
const handshake = 0x16;

/** One port on this machine, for HTTP in the clear and over TLS: kubectl keeps its tokens for the second. */
export async function openFrontDoor(
  port: number,
  { key, certificate }: { readonly key: string; readonly certificate: string },
  answer: RequestListener,
): Promise<FrontDoor> {
  const plain = createPlainServer(answer);
  const secure = createSecureServer({ key, cert: certificate }, answer);
  const sockets = new Set<Socket>();
  const door = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy()); // callers may go at any time
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null; // bytes, as no encoding is set
      if (!first) return; // gone before it said anything
      socket.unshift(first);
      (first[0] === handshake ? secure : plain).emit('connection', socket);
    });
  });
  door.listen(port, '127.0.0.1');
  await once(door, 'listening');
  return {
    port: (door.address() as AddressInfo).port, // a port, not a pipe
    async [Symbol.asyncDispose]() {
      const closed = once(door, 'close');
      door.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
