import { createSocket, type Socket } from 'node:dgram';

/** An address translator keeps a mapping for so long after its last use (RFC 4787 4.3, REQ-5). */
const HELD_MS = 120_000;
/** Ports beyond these are free at once: the system gives one of tens of thousands to the next device. */
const MAX_HELD = 2_000;

let count = 0;

/**
 * Keeps the port of a socket that is closed from other devices, as an address translator does: in clear nothing but the
 * address tells two devices apart, and the next one at it would answer in place of the former. Call before the close.
 */
export function holdPort(socket: Socket): void {
  const place = placeOf(socket);
  if (place === null || count >= MAX_HELD) return;
  count += 1;
  socket.once('close', () => {
    const held = createSocket('udp4');
    const release = (): void => void held.close();
    const timer = setTimeout(release, HELD_MS).unref();
    held.once('close', () => {
      clearTimeout(timer);
      count -= 1;
    });
    held.once('error', release).bind(place);
    held.unref();
  });
}

/** null for a socket that is not bound. */
function placeOf(socket: Socket): { address: string; port: number } | null {
  try {
    const { address, port } = socket.address();
    return { address, port };
  } catch {
    return null;
  }
}
