/** The LwM2M driver on its host, with the smallest center: it answers the registration and counts values. */
import { createLwm2mDriver } from '../../../driver/lwm2m/driver.ts';
import { startDriver } from '../../../driver/sdk/host/host.ts';
import { MemoryBus } from '../../../src/bus/memory.ts';
import { systemClock as clock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { giveMemoryBackAtRest } from '../../../src/kernel/process/rest.ts';
import { letYoungGenerationGrow, setV8Flags } from '../../../src/kernel/process/v8-flags.ts';
import { deviceOf } from './device.ts';
import { answerWith, type Question } from './question.ts';

setV8Flags();
const [dataDir = ''] = process.argv.slice(2);
const log = createLog('silent');
const at = { name: 'LwM2M', host: '127.0.0.1', port: 0 };
const driver = createLwm2mDriver({
  places: { clear: { ...at, scheme: 'coap' }, secure: { ...at, scheme: 'coaps' } },
  clock,
  log,
  dataDir,
});
const bus = new MemoryBus({ clock, log });
const key = driver.code;
const node = 'n1';
let seen = 0;

await bus.subscribe('svc.e.value', { queue: 'bench.value', key: '#' }, async ({ values }) => {
  seen += values.length;
});
await bus.subscribe('svc.e.driver_register', { queue: 'bench.register', key: '#' }, async () => {
  const answer = {
    kind: 'registered',
    driverCode: key,
    node,
    devices: 0,
    at: clock.now(),
  } as const;
  await bus.publish('svc.e.metadata', answer, { key });
});
await startDriver(
  // Nothing is read but what is asked for.
  { ...driver, readCron: '0 0 0 1 1 ? 2099' },
  { bus, clock, log, node, dataDir, crash: () => {} },
);

// As src/cli/serve.ts ends.
letYoungGenerationGrow();
giveMemoryBackAtRest(clock);

async function know(from: number, to: number, isObserved: boolean): Promise<number> {
  for (let number = from; number < to; number += 1) {
    const { tenantId, driverId, ...device } = deviceOf(number, isObserved);
    const message = { kind: 'device', driverCode: key, tenantId, driverId, device, node } as const;
    await bus.publish('svc.e.metadata', message, { key });
  }
  return 0;
}

async function read(count: number, of: number, atOnce: number): Promise<number> {
  let [next, failed] = [0, 0];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) {
        const device = deviceOf(next++ % of, false);
        const [point] = device.points;
        if (!point) throw new Error('no point');
        await driver.read(device, point, clock.now() + 10_000).catch(() => (failed += 1));
      }
    }),
  );
  return failed;
}

const port = driver.listening?.().find(({ scheme }) => scheme === 'coap')?.port ?? 0;
answerWith(
  port,
  () => seen,
  async (question: Question) => {
    if (question.ask === 'devices')
      return { failed: await know(question.from, question.to, question.isObserved) };
    if (question.ask === 'read')
      return { failed: await read(question.count, question.of, question.atOnce) };
    return { failed: 0 };
  },
);
