import type { Server } from 'node:http';

/** What a measured process says once it listens. */
export type Ready = { url: string; tokens: string[] };

/** Tells the parent where this server is, then what it has used whenever asked. */
export function report(ready: Ready): void {
  process.on('message', (question) => {
    if (question === 'used') process.send?.(used());
  });
  process.once('disconnect', () => process.exit());
  process.send?.(ready);
}

/**
 * Microseconds since the process began, of all its threads and of the one that serves requests, and the resident
 * bytes.
 */
type Used = { cpu: number; mainThread: number; rss: number };

function used(): Used {
  const sum = ({ user, system }: NodeJS.CpuUsage): number => user + system;
  return {
    cpu: sum(process.cpuUsage()),
    mainThread: sum(process.threadCpuUsage()),
    rss: process.memoryUsage.rss(),
  };
}

/** Listens on a free port and reports itself; SIGTERM ends the process. */
export function listenAndReport(server: Server): void {
  process.once('SIGTERM', () => process.exit());
  listen(server, []);
}

/** The same for a process that ends otherwise and has callers. */
export function listen(server: Server, tokens: string[]): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    report({ url: `http://127.0.0.1:${address.port}`, tokens });
  });
}
