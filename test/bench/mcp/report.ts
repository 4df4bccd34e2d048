import type { Server } from 'node:http';

/** Tells the parent where this server is, then how much CPU it has used whenever asked. */
export function report(ready: { url: string; token: string | null }): void {
  process.on('message', (question) => {
    if (question === 'cpu') process.send?.(used());
  });
  process.once('disconnect', () => process.exit());
  process.send?.(ready);
}

/** Microseconds since the process began, of all its threads and of the one that serves requests. */
type Cpu = { cpu: number; mainThread: number };

function used(): Cpu {
  const sum = ({ user, system }: NodeJS.CpuUsage): number => user + system;
  return { cpu: sum(process.cpuUsage()), mainThread: sum(process.threadCpuUsage()) };
}

export function listenAndReport(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    report({ url: `http://127.0.0.1:${address.port}/mcp`, token: null });
  });
}
