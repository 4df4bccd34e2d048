import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** One line of the device's output: the event and what belongs to it. */
type DeviceLine = { endpoint: string; event: string; [fact: string]: unknown };

export type DeviceProcess = {
  lines: readonly DeviceLine[];
  /** The first line of this event not yet taken; rejects after 20 s or when the device ends. */
  next(event: string): Promise<DeviceLine>;
  /** SIGSTOP: it answers nothing and its registration runs out; `kill` ends it. */
  pause(): void;
  /** SIGTERM: de-registers, then ends; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL: the server is told nothing. */
  kill(): Promise<void>;
};

const WAIT_MS = 20_000;

/** Starts `npm run device` as its own process against a server on this machine. */
export function spawnDevice({
  endpoint,
  port,
  lifetimeS = 60,
}: {
  endpoint: string;
  port: number;
  lifetimeS?: number;
}): DeviceProcess {
  const server = `127.0.0.1:${port}`;
  const main = fileURLToPath(new URL('../../../driver/simulator/main.ts', import.meta.url));
  const options = ['--endpoint', endpoint, '--server', server, '--lifetime', String(lifetimeS)];
  const child: ChildProcess = spawn(
    process.execPath,
    [main, ...options, '--json', '--with-parent'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'exit');
  const lines: DeviceLine[] = [];
  const taken = new Set<DeviceLine>();
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  const { stdout } = child;
  if (stdout)
    createInterface(stdout).on('line', (text) => {
      const line: unknown = JSON.parse(text);
      if (isLine(line)) lines.push(line);
      wake();
    });

  return {
    lines,
    async next(event) {
      const { promise, resolve, reject } = Promise.withResolvers<DeviceLine>();
      const look = (): void => {
        const found = lines.find((line) => line.event === event && !taken.has(line));
        if (!found) return;
        taken.add(found);
        resolve(found);
      };
      const timer = setTimeout(() => {
        reject(new Error(`${endpoint} never said ${event}; it said ${JSON.stringify(lines)}`));
      }, WAIT_MS);
      waiting.add(look);
      look();
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        waiting.delete(look);
      }
    },
    pause: () => void child.kill('SIGSTOP'),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function isLine(value: unknown): value is DeviceLine {
  return typeof value === 'object' && value !== null && 'event' in value && 'endpoint' in value;
}
