import { setTimeout as sleep } from 'node:timers/promises';

import { locationIn, notification, registerMessage, updateMessage } from './device.ts';
import { Fleet } from './fleet.ts';
import { type Measured, measured, untilSeen } from './measured.ts';

/** As many as the driver sends on at once; in pieces, as the buffer of a socket is small. */
const NOTIFICATIONS = 500;
const PIECE = 100;
const BATCHES = 20;
const READS_AT_ONCE = 64;

/** A driver with as many registered devices. */
export async function population(
  size: number,
  { isObserved = false, sockets }: { isObserved?: boolean; sockets?: number } = {},
) {
  const driver = await measured('driver.ts');
  await driver.tell({ ask: 'devices', from: 0, to: size, isObserved });
  const fleet = await Fleet.open(driver.port, sockets);
  const locations: string[][] = [];
  const register = (count: number) =>
    fleet.exchange(
      count,
      (mid, number) => registerMessage(mid, number % size),
      (answer, number) => {
        locations[number % size] = locationIn(answer);
      },
    );
  await register(size);
  const due = isObserved ? size : 0;
  for (let waited = 0; fleet.observed.length < due; waited += 100) {
    if (waited > 60_000) throw new Error(`${fleet.observed.length} of ${size} are observed`);
    await sleep(100);
  }
  const update = (count: number) =>
    fleet.exchange(count, (mid, number) => updateMessage(mid, locations[number % size] ?? []));
  return {
    driver,
    update,
    /** Of devices that are registered already: each begins anew. */
    registrations: (count: number) => driver.perCpuSecond(count, () => register(count)),
    updates: (count: number) => driver.perCpuSecond(count, () => update(count)),
    reads: (count: number) =>
      driver.perCpuSecond(count, async () => {
        const question = { ask: 'read', count, of: size, atOnce: READS_AT_ONCE } as const;
        const { failed } = await driver.tell(question);
        if (failed > count / 100) throw new Error(`${failed} of ${count} reads failed`);
      }),
    reports: () => reportsPerCpuSecond(driver, fleet, fleet.observed.slice(-size)),
    async [Symbol.asyncDispose]() {
      fleet.close();
      await driver[Symbol.asyncDispose]();
    },
  };
}

let reported = 0;

/** Notifications up to the bus, of as many observations in turn. */
export async function reportsPerCpuSecond(
  process: Measured,
  fleet: Fleet,
  from: readonly { socket: number; token: string }[],
): Promise<number> {
  const before = await process.used();
  let { seen } = before;
  const seconds = await process.cpuSecondsOf(async () => {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      for (let at = 0; at < NOTIFICATIONS; at += 1) {
        const number = reported++;
        const { socket, token } = from[number % from.length] ?? { socket: 0, token: '' };
        fleet.send(socket, (mid) => notification(mid, token, number));
        if (at % PIECE === PIECE - 1) await sleep(5);
      }
      seen = await untilSeen(process, seen + NOTIFICATIONS);
    }
  });
  const count = seen - before.seen;
  if (count < NOTIFICATIONS * BATCHES * 0.9) throw new Error(`${count} values came`);
  return count / seconds;
}
