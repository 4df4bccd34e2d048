import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 60_000;
const STOP_MS = 30_000;
const LAST_WORDS_MS = 200;

/** The platform as its users start it: a process of its own. */
export type Server = {
  base: string;
  /** The generated admin password of a first start. */
  password: string | null;
  lwm2mPort: number;
  /** All it printed so far. */
  output: string[];
  /** Resolves with the first line, also an earlier one, that matches. */
  line(pattern: RegExp, timeoutMs?: number): Promise<string>;
  exited: Promise<{ code: number | null; signal: string | null }>;
  /** SIGTERM, then waits for a clean end; the exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
};

/** Runs `node src/main.ts serve` with exactly this environment (and PATH); waits for its banner. */
export async function startServer(environment: Record<string, string>): Promise<Server> {
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const listeners = new Set<(text: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (text) => {
      output.push(text);
      for (const listener of listeners) listener(text);
    });
  }
  const exited = once(child, 'exit').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
  }));

  const line = (pattern: RegExp, timeoutMs = START_MS): Promise<string> => {
    const before = output.find((text) => pattern.test(text));
    if (before !== undefined) return Promise.resolve(before);
    const found = Promise.withResolvers<string>();
    const listener = (text: string): void => {
      if (pattern.test(text)) found.resolve(text);
    };
    listeners.add(listener);
    const timer = setTimeout(
      () => found.reject(new Error(`no line like ${pattern}:\n${output.join('\n')}`)),
      timeoutMs,
    );
    void exited.then(async ({ code, signal }) => {
      // What it said last may still be in the pipe.
      await sleep(LAST_WORDS_MS);
      const how = `it ended (${code ?? signal}) before a line like ${pattern}`;
      return found.reject(new Error(`${how}:\n${output.join('\n')}`));
    });
    return found.promise.finally(() => {
      clearTimeout(timer);
      listeners.delete(listener);
    });
  };

  const base = field(await line(/^ {2}API /).catch(endWith(child)));
  await line(/^ {2}Database /);
  return {
    base: base.replace(/\/api\/v3$/, ''),
    password:
      /^ {2}Password {2}(\S+) {3}\(generated/.exec(
        output.find((text) => /^ {2}Password/.test(text)) ?? '',
      )?.[1] ?? null,
    lwm2mPort: Number(/:(\d+)$/.exec(await line(/^ {2}LwM2M /))?.[1]),
    output,
    line,
    exited,
    async stop() {
      child.kill('SIGTERM');
      const { code } = await Promise.race([exited, late('it did not stop')]);
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const field = (text: string): string => text.trim().split(/ {2,}/)[1] ?? '';

const endWith =
  (child: ChildProcess) =>
  (error: unknown): never => {
    child.kill('SIGKILL');
    throw error;
  };

async function late(text: string): Promise<never> {
  await sleep(STOP_MS, undefined, { ref: false });
  throw new Error(text);
}
