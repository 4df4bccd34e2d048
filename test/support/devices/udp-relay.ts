import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

/** What becomes of a datagram: passed on at once, after a while, or never. */
export type Fate = 'pass' | 'drop' | { afterMs: number };

export type UdpRelay = {
  port: number;
  /** Of datagrams to the device and back; asked for each one. */
  fates: { toDevice(): Fate; toServer(): Fate };
  close(): Promise<void>;
};

const pass = (): Fate => 'pass';

/** A wire between one device and a server, both on loopback, that loses or delays what a test says. */
export async function openUdpRelay(serverPort: number): Promise<UdpRelay> {
  const [device, server] = [createSocket('udp4'), createSocket('udp4')];
  const timers = new Set<NodeJS.Timeout>();
  let peer: RemoteInfo | null = null;
  const relay = { fates: { toDevice: pass, toServer: pass } };
  const follow = (fate: Fate, send: () => void): void => {
    if (fate === 'pass') send();
    if (typeof fate === 'string') return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      send();
    }, fate.afterMs);
    timers.add(timer);
  };
  device.on('message', (bytes, from) => {
    peer = from;
    follow(relay.fates.toServer(), () => server.send(bytes, serverPort, '127.0.0.1'));
  });
  server.on('message', (bytes) => {
    const to = peer;
    if (to) follow(relay.fates.toDevice(), () => device.send(bytes, to.port, to.address));
  });
  for (const socket of [device, server]) {
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
  }
  return Object.assign(relay, {
    port: device.address().port,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of [device, server]) {
        socket.close();
        await once(socket, 'close');
      }
    },
  });
}
