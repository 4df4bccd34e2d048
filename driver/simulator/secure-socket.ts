import { createSocket, Socket } from 'node:dgram';

import { dtls } from 'node-dtls-client';

/** A pre-shared key of the device; its bytes in hexadecimal. */
export type Psk = { identity: string; key: string };

/** The socket of a device; `renew` forgets the session of its peer, which may have forgotten it too. */
export type DeviceSocket = { socket: Socket; renew(): void };

const HANDSHAKE_MS = 5_000;
const MAX_WAITING = 16;

type Network = (socket: Socket) => void;

export function clearSocket(network?: Network): DeviceSocket {
  const socket = createSocket('udp4');
  network?.(socket);
  return { socket, renew() {} };
}

/**
 * A `dgram` socket for the npm `coap` stack whose `send` and `message` go through a DTLS client to `server`. The first
 * `send` starts the handshake; the first one after `renew()` starts another.
 */
export function secureSocket(
  server: { host: string; port: number },
  psk: Psk,
  network?: Network,
): DeviceSocket {
  // Of the kind that the stack asks for: nothing arrives or leaves through it.
  const socket = createSocket('udp4');
  let session: { inner: dtls.Socket; isOpen: boolean } | null = null;
  let waiting: Buffer[] = [];
  let isClosed = false;

  function begin(): { inner: dtls.Socket; isOpen: boolean } {
    const inner = dtls.createSocket({
      type: 'udp4',
      address: server.host,
      port: server.port,
      psk: { [psk.identity]: Buffer.from(psk.key, 'hex') },
      timeout: HANDSHAKE_MS,
      ciphers: ['TLS_PSK_WITH_AES_128_CCM_8'],
    });
    // The package keeps its socket private and has no option for another.
    const own: unknown = Reflect.get(inner, 'udp');
    if (network && own instanceof Socket) network(own);
    const begun = { inner, isOpen: false };
    const over = (): void => {
      if (session !== begun) return;
      session = null;
      // The stack sends again what is not answered.
      waiting = [];
    };
    inner.on('connected', () => {
      begun.isOpen = true;
      for (const datagram of waiting.splice(0)) inner.send(datagram);
    });
    inner.on('message', (bytes, from) => socket.emit('message', bytes, from));
    inner.on('error', over);
    inner.on('close', over);
    return begun;
  }

  function renew(): void {
    const former = session;
    session = null;
    waiting = [];
    if (former?.isOpen) former.inner.close();
  }

  const send = (...given: unknown[]): void => {
    const [bytes, offset, length] = given;
    if (!(bytes instanceof Uint8Array) || isClosed) return;
    // Either a part of the buffer is named before the port, or the port alone.
    const isPart = given.filter((each) => typeof each === 'number').length === 3;
    const datagram = isPart
      ? bytes.subarray(Number(offset), Number(offset) + Number(length))
      : bytes;
    const copy = Buffer.from(datagram);
    if (session?.isOpen) session.inner.send(copy);
    else {
      if (waiting.length < MAX_WAITING) waiting.push(copy);
      session ??= begin();
    }
    const done = given.findLast((each) => typeof each === 'function');
    if (typeof done === 'function') Reflect.apply(done, socket, [null, copy.length]);
  };
  const closed = socket.close.bind(socket);
  const close = (done?: () => void): Socket => {
    isClosed = true;
    renew();
    return closed(done);
  };
  return { socket: Object.assign(socket, { send, close }), renew };
}
