import type { ChildProcess, Serializable } from 'node:child_process';

import { z } from 'zod';

import { ask, next, start, stop } from '../process.ts';
import { target } from './load.ts';
import type { Request } from './request.ts';

const Ready = z.object({ url: z.string(), token: z.string().nullable() });

const Cpu = z.object({ cpu: z.number(), mainThread: z.number() });

/** CPU of the server process per call in microseconds, and calls per second. */
type Figures = z.infer<typeof Cpu> & { rate: number };

/** A server in a process of its own. */
export type Server = {
  post(request: Request): Promise<string>;
  measure(request: Request, count: number): Promise<Figures>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starts a script that reports itself; `message` is what it waits for before it does. */
export async function startServer(
  script: URL,
  { args = [], message }: { args?: readonly string[]; message?: Serializable } = {},
): Promise<Server> {
  const child = start(script, { args });
  try {
    const ready = next(child, Ready);
    if (message !== undefined) child.send(message);
    const { url, token } = await ready;
    return serverAt(child, url, token);
  } catch (error) {
    await stop(child);
    throw error;
  }
}

function serverAt(child: ChildProcess, url: string, token: string | null): Server {
  const { post, load, close } = target(url, token);
  const used = () => ask(child, 'cpu', Cpu);
  return {
    post,
    async measure(request, count) {
      const expected = await post(request);
      const before = await used();
      const rate = await load(request, expected, count);
      const after = await used();
      return {
        cpu: (after.cpu - before.cpu) / count,
        mainThread: (after.mainThread - before.mainThread) / count,
        rate,
      };
    },
    async [Symbol.asyncDispose]() {
      close();
      await stop(child);
    },
  };
}
