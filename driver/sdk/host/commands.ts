import { join } from 'node:path';

import type { Bus } from '../../../src/bus/bus.ts';
import type { OnceParts } from '../command/at-most-once.ts';
import { createCallRunner } from '../command/call.ts';
import { createCommandRunner, type CrashPoint } from '../command/command.ts';
import { openCommandStore } from '../command/store.ts';
import type { Driver } from '../driver.ts';
import type { ValuePublisher } from '../values.ts';

/** A custom command may be valid for an hour. */
const KEEP_CALLS_MS = 7_200_000;

type Parts = OnceParts & {
  driver: Driver;
  values: ValuePublisher;
  bus: Bus;
  node: string;
  dataDir: string;
  crash?: (point: CrashPoint) => void;
};

export type Commands = Awaited<ReturnType<typeof openCommands>>;

/** The commands of a node, each kind with its store: those for points, and custom ones. */
export async function openCommands({ node, dataDir, crash = () => {}, ...parts }: Parts) {
  const { driver, clock, log } = parts;
  const fileOf = (kind: string) =>
    join(dataDir, `${kind}-${driver.code}-${encodeURIComponent(node)}.log`);
  const now = () => clock.now();
  const store = await openCommandStore(fileOf('commands'), now);
  const callStore = await openCommandStore(fileOf('calls'), now, KEEP_CALLS_MS);
  const points = createCommandRunner({ ...parts, store, crash });
  const calls = createCallRunner({ ...parts, store: callStore });
  const both = [points, calls];
  let orphansAnswered: Promise<unknown> = Promise.resolve();

  return {
    points,
    calls,
    /** What waits for the device: it may listen now, or be asked no more. */
    look(deviceId: string): void {
      for (const each of both) each.look(deviceId);
    },
    /** Goes on with what an earlier process left. */
    resume(): void {
      for (const each of both) void each.resume();
      orphansAnswered = Promise.all(both.map((each) => each.answerOrphans())).catch(
        (error: unknown) => log.error({ error }, 'interrupted commands could not be ended'),
      );
    },
    /** Resolves when no command is running; what waits stays in the stores. */
    async idle(): Promise<void> {
      await Promise.all([...both.map((each) => each.idle()), orphansAnswered]);
    },
    async close(): Promise<void> {
      await store.close();
      await callStore.close();
    },
  };
}
