import { once } from 'node:events';

const LIMIT_MS = 30_000;
/** Collections until nothing more is freed; readings this near are the same. */
const MAX_COLLECTIONS = 8;
const SAME_MB = 1;

/** Have Node listen for an inspector on a free port of loopback, and say where on standard error. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

/**
 * What a process started with `INSPECTED` holds, in MB: heap, buffers and what else belongs to them, after as many full
 * collections as free something, since an object is freed by one of them when the finalizers of the one before have run.
 */
export async function liveMemoryOf(output: readonly string[]): Promise<number> {
  let held = await memoryAfterCollection(output);
  for (let collections = 1; collections < MAX_COLLECTIONS; collections += 1) {
    const before = held;
    held = await memoryAfterCollection(output);
    if (Math.abs(before - held) <= SAME_MB) return held;
  }
  throw new Error(`each of ${MAX_COLLECTIONS} collections freed more`);
}

/** The same after a single one. */
export async function memoryAfterCollection(output: readonly string[]): Promise<number> {
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
