import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { z } from 'zod';

const CHANNEL = 'http.server.request.start';
const Started = z.object({
  request: z.custom<IncomingMessage>(),
  socket: z.custom<Socket>(),
});

/** What servers of this process read from the connections of clients, by the port of the client's end. */
export function followReads(): { of(port: number): number; stop(): void } {
  const sockets = new Map<number, Socket>();
  const started = (message: unknown): void => {
    const { socket } = Started.parse(message);
    if (socket.remotePort !== undefined) sockets.set(socket.remotePort, socket);
  };
  subscribe(CHANNEL, started);
  return {
    of: (port) => sockets.get(port)?.bytesRead ?? 0,
    stop: () => void unsubscribe(CHANNEL, started),
  };
}
