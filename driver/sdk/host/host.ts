import type { Bus, Subscription } from '../../../src/bus/bus.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { type Metrics, noMetrics } from '../../../src/kernel/metrics/metrics.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import { KeyedQueue } from '../../../src/kernel/queue.ts';
import { createCenterTime } from '../center-time.ts';
import type { CrashPoint } from '../command/command.ts';
import type { Driver, DriverDevice, DriverHost, Report } from '../driver.ts';
import { schedule } from '../schedule.ts';
import { createServing, type Serving } from '../serving.ts';
import { openSpooledValues, type SpoolOptions } from '../spool/open.ts';
import { UpdateRunner } from '../update/runner.ts';
import { createReportBuffer, createValuePublisher } from '../values.ts';
import { within } from '../wait.ts';
import { Collector } from './collect.ts';
import { openCommands } from './commands.ts';
import { createKnownVersions } from './known-versions.ts';
import { measureDriver } from './measure.ts';
import { Metadata } from './metadata.ts';
import { publicationsBy } from './publications.ts';
import { subscribe } from './queues.ts';
import { Registration } from './registration.ts';
import { StateReporter } from './state-reporter.ts';

const STOP_WAIT_MS = 15_000;

export type DriverOptions = SpoolOptions & {
  bus: Bus;
  clock: Clock;
  log: Log;
  metrics?: Metrics;
  /** Name of this process among the copies of the driver; stays the same over a restart. */
  node: string;
  dataDir: string;
  serviceHost?: string;
  /** Called at named points, at which a test may end the process. */
  crash?: (point: CrashPoint) => void;
};

export type RunningDriver = {
  /** Takes no more work, waits (bounded) for running commands, then stops the driver. */
  stop(): Promise<void>;
  devices(): ReadonlyMap<string, DriverDevice>;
  /** Whether the platform has answered the registration and sent all devices. */
  registered(): boolean;
};

const withDoubtBy =
  (serving: Serving) =>
  ({ device, point, reading }: Report): Report => ({
    device,
    point,
    reading: serving.withDoubt(device, reading),
  });

/**
 * Runs a driver on the bus: registration, metadata, heartbeats (docs/specification/drivers.md, Device
 * health check: every 15 s, lease 45 s), collection and commands. Resolves when commands are taken; the
 * registration is repeated until answered.
 */
export async function startDriver(driver: Driver, options: DriverOptions): Promise<RunningDriver> {
  const { bus, clock, node } = options;
  const log = options.log.child({ driver: driver.code, node });
  const devices = new Map<string, DriverDevice>();
  // One exchange per device at a time.
  const lock = new KeyedQueue(clock, { atOnce: 1 });
  const time = createCenterTime(clock);
  const to = { bus, clock, driverCode: driver.code, node };
  const spooled = await openSpooledValues({ ...options, ...to, log });
  const values = createValuePublisher({ ...to, spooled });
  const known = createKnownVersions(devices);
  const serving = createServing({ driver, devices, time, node });
  const registration = new Registration({ ...options, driver, log });
  const states = new StateReporter({
    driver,
    devices,
    serving,
    time,
    bus,
    clock,
    log,
    node,
    known: () => (registration.isAnswered() ? known.summary() : null),
    readIssueOf: ({ id }) => collector.issueOf(id),
  });
  const changed = (device: DriverDevice): void => states.changed(device);
  const reports = createReportBuffer({ values, clock, log });
  const doubted = withDoubtBy(serving);
  const shared = { driver, devices, serving, lock, time, values, clock, log };
  const collector = new Collector({ ...shared, issueChanged: changed });
  const synced = registration.answered;
  const commands = await openCommands({ ...options, ...shared, synced });
  const updates = new UpdateRunner({ driver, devices, bus, clock, log, node });
  const { look } = commands;
  const metadata = new Metadata({ ...shared, known, registration, node, changed, look });
  const host: DriverHost = {
    devices: () => devices,
    synced: () => registration.isAnswered(),
    report: (device, point, reading) => reports.add(doubted({ device, point, reading })),
    deliver: (given) => reports.deliver(given.map(doubted)),
    serves: (device) => serving.isMine(device),
    ...publicationsBy(to),
    woke(device) {
      look(device.id);
      collector.woke(device);
      updates.woke(device.id);
    },
    stateChanged(device) {
      states.changed(device);
      updates.changed(device.id);
    },
  };
  let subscription: Subscription;
  try {
    await driver.start(host);
    subscription = await subscribe({ ...to, driver, devices, metadata, updates, commands });
  } catch (error) {
    await driver.stop();
    await commands.close();
    await spooled?.stop();
    throw error;
  }
  void registration.begin();
  commands.resume();
  const cancelStates = states.start();
  registration.repeatAfterOutages();
  const schedules = [schedule(driver.readCron, { clock, log, job: () => collector.run() })];
  if (driver.customCron)
    schedules.push(schedule(driver.customCron, { clock, log, job: async () => driver.custom?.() }));
  measureDriver(options.metrics ?? noMetrics, { driver, devices, serving, registration });
  let stopped = false;

  return {
    devices: () => devices,
    registered: () => registration.isAnswered(),
    async stop() {
      if (stopped) return;
      stopped = true;
      registration.stop();
      collector.stop();
      updates.stop();
      cancelStates();
      for (const { cancel } of schedules) cancel();
      await subscription.cancel();
      const quiet = Promise.all([
        commands.idle(),
        updates.idle(),
        reports.close(),
        ...schedules.map(({ idle }) => idle()),
      ]);
      await within(clock, STOP_WAIT_MS, quiet).catch((error: unknown) =>
        log.warn({ error }, 'the driver stops with work under way'),
      );
      if (!driver.heldMs) await states.leave();
      await driver.stop();
      await commands.close();
      await spooled?.stop();
    },
  };
}
