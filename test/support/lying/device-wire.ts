import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { DtlsClient } from '../devices/dtls-client.ts';

const ANSWER_MS = 4_000;
const TRIES = 5;

export type DeviceWire = {
  send(bytes: Buffer): void;
  close(): void;
};

/** A socket of a played device towards the driver: in clear, or over DTLS with a key. */
export async function openDeviceWire(
  port: number,
  psk: { identity: Buffer; key: Buffer } | null,
  received: (bytes: Buffer) => void,
): Promise<DeviceWire> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  // The driver may be gone before the device.
  socket.on('error', () => {});
  const client = psk && (await shaken(psk));
  socket.on('message', (bytes: Buffer) => {
    const opened = client ? client.open(bytes) : { type: 23, data: bytes };
    if (opened?.type === 23) received(opened.data);
  });

  async function answerTo(bytes: Buffer): Promise<Buffer> {
    socket.send(bytes);
    const [answer]: Buffer[] = await once(socket, 'message', {
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (!answer) throw new Error('no answer');
    return answer;
  }

  async function shaken(options: { identity: Buffer; key: Buffer }): Promise<DtlsClient> {
    for (let each = 0; each < TRIES; each += 1) {
      const dtls = new DtlsClient(options);
      try {
        const cookie = dtls.cookieIn(await answerTo(dtls.hello()));
        const flight = await answerTo(dtls.hello(cookie));
        if (dtls.isProven(await answerTo(Buffer.concat(dtls.proof(flight))))) return dtls;
      } catch {
        // A lost datagram, or a driver that does not know the key yet: from the start.
      }
    }
    socket.close();
    throw new Error('no session came about');
  }

  return {
    send: (bytes) => socket.send(client ? client.seal(bytes) : bytes),
    close: () => socket.close(),
  };
}
