import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SIMULATOR = fileURLToPath(new URL('../../../driver/simulator/main.ts', import.meta.url));
const STOP_MS = 3_000;

export type SimulatedDevice = { stop(): Promise<void> };

/** The simulated LwM2M device of the demo tenant, as a process of its own over real UDP. */
export function startSimulatedDevice(
  dataDir: string,
  port: number,
  print: (line: string) => void,
): SimulatedDevice {
  const state = join(dataDir, 'demo-device-set-point');
  const child = spawn(
    process.execPath,
    [
      SIMULATOR,
      '--endpoint',
      'dev-1',
      '--server',
      `127.0.0.1:${port}`,
      '--with-parent',
      '--state',
      state,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  createInterface({ input: child.stdout }).on('line', print);
  child.on('error', (error) => print(`dev-1 could not start: ${error.message}`));
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await Promise.race([once(child, 'exit'), sleep(STOP_MS, undefined, { ref: false })]);
      child.kill('SIGKILL');
    },
  };
}
