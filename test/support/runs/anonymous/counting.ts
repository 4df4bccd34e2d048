import { subscribe } from 'node:diagnostics_channel';
import { createServer, Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/** Of one connection; `port` is that of the client's end. */
type Answered = {
  port: number;
  /** Until its answer was written, of all threads of the process and of its main thread, in microseconds. */
  cpuUs: number;
  mainUs: number;
};
type Closed = { port: number; bytesRead: number };

/** What a line is answered by: the counts since the line before, and the longest turn of the event loop, in CPU. */
export type Counts = { answered: Answered[]; closed: Closed[]; heldMs: number };

const sum = ({ user, system }: NodeJS.CpuUsage): number => user + system;

/** Measures turns of the event loop by their CPU: on a machine with other work, time says nothing. The loop spins meanwhile. */
function longestTurn() {
  let isOn = false;
  let longestUs = 0;
  let spentUs = 0;
  const turn = (): void => {
    const now = sum(process.threadCpuUsage());
    longestUs = Math.max(longestUs, now - spentUs);
    spentUs = sum(process.threadCpuUsage());
    if (isOn) setImmediate(turn);
  };
  return {
    begin(): void {
      [isOn, longestUs, spentUs] = [true, 0, sum(process.threadCpuUsage())];
      setImmediate(turn);
    },
    /** The longest since the begin, in microseconds. */
    end(): number {
      isOn = false;
      return longestUs;
    },
  };
}

function count(): void {
  const counts: Omit<Counts, 'heldMs'> = { answered: [], closed: [] };
  const ends = new WeakMap<Socket, () => void>();
  const turns = longestTurn();
  const control = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (line) => {
        const heldMs = turns.end() / 1_000;
        const { answered, closed } = counts;
        const now = { answered: answered.splice(0), closed: closed.splice(0) };
        socket.write(`${JSON.stringify({ ...now, heldMs })}\n`);
        if (String(line).startsWith('hold')) turns.begin();
      });
  });
  let controlPort = 0;
  control.listen(0, '127.0.0.1', () => {
    const address = control.address();
    controlPort = typeof address === 'object' && address ? address.port : 0;
    console.log(`counting at ${controlPort}`);
  });
  control.unref();
  subscribe('net.server.socket', (message) => {
    const socket = socketOf(message);
    const { localPort, remotePort: port = 0 } = socket;
    if (localPort === controlPort) return;
    const all = process.cpuUsage();
    const main = process.threadCpuUsage();
    const end = (): void => {
      if (!ends.delete(socket)) return;
      const [cpuUs, mainUs] = [sum(process.cpuUsage(all)), sum(process.threadCpuUsage(main))];
      counts.answered.push({ port, cpuUs, mainUs });
    };
    ends.set(socket, end);
    socket.once('close', () => {
      end();
      counts.closed.push({ port, bytesRead: socket.bytesRead });
    });
  });
  // A turn later: what is left to do of an answer is its own.
  subscribe('http.server.response.finish', (message) => {
    const end = ends.get(socketOf(message));
    if (end) setImmediate(end);
  });
}

function socketOf(message: unknown): Socket {
  if (typeof message === 'object' && message !== null && 'socket' in message)
    if (message.socket instanceof Socket) return message.socket;
  throw new Error('no socket');
}

if (isMainThread) count();
