import type { ChildProcess, Serializable } from 'node:child_process';

import { z } from 'zod';

import { ask, next, start, stop } from '../process.ts';
import { target } from './load.ts';
import type { Request } from './request.ts';

const Ready = z.object({ url: z.string(), token: z.string().nullable() });

/** CPU of the server process per call in microseconds, all its threads, and calls per second. */
type Figures = { cpu: number; rate: number };

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
  const cpu = (): Promise<number> => ask(child, 'cpu', z.number());
  return {
    post,
    async measure(request, count) {
      const expected = await post(request);
      const before = await cpu();
      const rate = await load(request, expected, count);
      return { cpu: ((await cpu()) - before) / count, rate };
    },
    async [Symbol.asyncDispose]() {
      close();
      await stop(child);
    },
  };
}
