import { subscribe } from 'node:diagnostics_channel';
import { createServer, Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Of one connection; `port` is that of the client's end. */
type Answered = {
  port: number;
  /** Until its answer was written, of all threads of the process and of its main thread, in microseconds. */
  cpuUs: number;
  mainUs: number;
};
type Closed = { port: number; bytesRead: number };

/** What a line is answered by: the counts since the line before, and the longest that the event loop was held. */
export type Counts = { answered: Answered[]; closed: Closed[]; heldMs: number };

const sum = ({ user, system }: NodeJS.CpuUsage): number => user + system;

function count(): void {
  const counts: Omit<Counts, 'heldMs'> = { answered: [], closed: [] };
  const ends = new WeakMap<Socket, () => void>();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const control = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (line) => {
        // The monitor wakes the loop each millisecond, which costs more than an answer.
        if (String(line).startsWith('hold')) delay.enable();
        else delay.disable();
        const { answered, closed } = counts;
        const now = { answered: answered.splice(0), closed: closed.splice(0) };
        socket.write(`${JSON.stringify({ ...now, heldMs: delay.max / 1e6 })}\n`);
        delay.reset();
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
