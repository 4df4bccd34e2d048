import type { ChildProcess, Serializable } from 'node:child_process';

import { z } from 'zod';

import { type Request, steady, type Target, target, type Token } from './load.ts';
import { ask, next, start, stop } from './process.ts';

const Ready = z.object({ url: z.string(), tokens: z.array(z.string()) });

const Used = z.object({ cpu: z.number(), mainThread: z.number(), rss: z.number() });
type Used = z.infer<typeof Used>;

/** CPU of the server process per call in microseconds, and calls per second. */
type Figures = Pick<Used, 'cpu' | 'mainThread'> & { rate: number };

/** A server in a process of its own. */
export type Server = Pick<Target, 'send'> & {
  url: string;
  /** Those it made for its callers. */
  tokens: readonly string[];
  /**
   * One call with each token, over as many connections as said (16); the first answer is the one all the others have
   * to equal.
   */
  measure(request: Request, tokens: readonly Token[], connections?: number): Promise<Figures>;
  /** The same; the milliseconds of each answer. */
  wait(request: Request, tokens: readonly Token[], connections: number): Promise<number[]>;
  /** What the process has used so far. */
  used(): Promise<Used>;
  [Symbol.asyncDispose](): Promise<void>;
};

type Given = {
  args?: readonly string[];
  env?: Record<string, string>;
  /** Of node. */
  options?: readonly string[];
  /** What the script waits for before it reports itself. */
  message?: Serializable;
  /** How long it may take until then: some make hundreds of accounts or fill a database first. */
  startMs?: number;
};

/** Starts a script that reports itself. */
export async function startServer(
  script: URL,
  { args = [], env = {}, options = [], message, startMs = 120_000 }: Given = {},
): Promise<Server> {
  const child = start(script, { args, env, options });
  try {
    const ready = next(child, Ready, startMs);
    if (message !== undefined) child.send(message);
    const { url, tokens } = await ready;
    return { url, tokens, ...measured(child, url) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

function measured(child: ChildProcess, url: string): Omit<Server, 'url' | 'tokens'> {
  const { send, load, close } = target(url);
  const used = () => ask(child, 'used', Used);
  const answers = new Map<Request, string>();
  const expectedOf = async (request: Request, token: Token): Promise<string> => {
    const expected = answers.get(request) ?? steady(await send(request, token));
    answers.set(request, expected);
    return expected;
  };
  return {
    send,
    used,
    async measure(request, tokens, connections) {
      const expected = await expectedOf(request, tokens[0] ?? null);
      const before = await used();
      const { rate } = await load(request, { tokens, expected, connections });
      const after = await used();
      return {
        cpu: (after.cpu - before.cpu) / tokens.length,
        mainThread: (after.mainThread - before.mainThread) / tokens.length,
        rate,
      };
    },
    async wait(request, tokens, connections) {
      const expected = await expectedOf(request, tokens[0] ?? null);
      return (await load(request, { tokens, expected, connections })).waits;
    },
    async [Symbol.asyncDispose]() {
      close();
      await stop(child);
    },
  };
}
