import { once } from 'node:events';

const LIMIT_MS = 30_000;

/** Have Node listen for an inspector on a free port of loopback, and say where on standard error. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

/**
 * What a process started with `INSPECTED` still holds after a full collection, in MB: heap, buffers and what
 * else belongs to them. The resident size would say what V8 has not given back yet.
 */
export async function liveMemoryOf(output: readonly string[]): Promise<number> {
  const address = output.flatMap((line) => /\bws:\/\/127\.\S+/.exec(line) ?? []).at(0);
  if (address === undefined) throw new Error('the process names no inspector');
  const socket = new WebSocket(address);
  const signal = AbortSignal.timeout(LIMIT_MS);
  let id = 0;
  const ask = async (method: string, params: object = {}): Promise<string> => {
    id += 1;
    socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [{ data }] = await once(socket, 'message', { signal });
      if (String(data).includes(`"id":${id},`)) return String(data);
    }
  };
  try {
    await once(socket, 'open', { signal });
    await ask('HeapProfiler.collectGarbage');
    const expression = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';
    const answer = await ask('Runtime.evaluate', { expression });
    return Math.round(Number(/"value":(\d+)/.exec(answer)?.[1]) / 2 ** 20);
  } finally {
    socket.close();
  }
}
