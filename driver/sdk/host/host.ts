import { join } from 'node:path';

import type { Bus, Subscription } from '../../../src/bus/bus.ts';
import { commandQueue, nodeKey, type Payload } from '../../../src/bus/topics.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/log/log.ts';
import { createCenterTime } from '../center-time.ts';
import { createCallRunner } from '../command/call.ts';
import { createCommandRunner, type CrashPoint } from '../command/command.ts';
import { openCommandStore } from '../command/store.ts';
import { UpdateRunner } from '../command/update-runner.ts';
import { createDeviceLock } from '../device-lock.ts';
import type { Driver, DriverDevice, DriverHost } from '../driver.ts';
import { type Schedule, schedule } from '../schedule.ts';
import { createServing } from '../serving.ts';
import { createValuePublisher } from '../values.ts';
import { within } from '../wait.ts';
import { Collector } from './collect.ts';
import { registration } from './declaration.ts';
import { createKnownVersions } from './known-versions.ts';
import { publishRegistered, publishWaiting } from './registered.ts';
import { createReportBuffer } from './report-buffer.ts';
import { StateReporter } from './state-reporter.ts';

type Metadata = Payload<'svc.e.metadata'>;

const REGISTER_RETRY_MS = 1_000;
const REGISTER_RETRY_MAX_MS = 30_000;
const LOOK_MS = 100;
const COMMAND_PREFETCH = 16;
const STOP_WAIT_MS = 15_000;
const ALARM_TIMEOUT_MS = 10_000;
/** A custom command may be valid for an hour. */
const KEEP_CALLS_MS = 7_200_000;

export type DriverOptions = {
  bus: Bus;
  clock: Clock;
  log: Log;
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

/**
 * Runs a driver on the bus: registration, metadata, heartbeats (docs/specification/drivers.md, Device
 * health check: every 15 s, lease 45 s), collection and commands. Resolves when commands are taken; the
 * registration is repeated until answered.
 */
// oxlint-disable-next-line max-lines-per-function
export async function startDriver(driver: Driver, options: DriverOptions): Promise<RunningDriver> {
  const { bus, clock, node, crash = () => {} } = options;
  const log = options.log.child({ driver: driver.code, node });
  const devices = new Map<string, DriverDevice>();
  const lock = createDeviceLock();
  const time = createCenterTime(clock);
  const values = createValuePublisher({ bus, clock, driverCode: driver.code, node });
  const known = createKnownVersions(devices);
  const serving = createServing({ driver, devices, time, node });
  const states = new StateReporter({
    driver,
    devices,
    serving,
    time,
    bus,
    clock,
    log,
    node,
    known: () => (registered ? known.summary() : null),
    readIssueOf: ({ id }) => collector.issueOf(id),
  });
  const reports = createReportBuffer({ values, clock, log });
  const marks = (kind: string) =>
    join(options.dataDir, `${kind}-${driver.code}-${encodeURIComponent(node)}.log`);
  const now = () => clock.now();
  const store = await openCommandStore(marks('commands'), now);
  const callStore = await openCommandStore(marks('calls'), now, KEEP_CALLS_MS);
  const closeStores = async () => {
    await store.close();
    await callStore.close();
  };
  const shared = { driver, devices, serving, lock, time, values, clock, log };
  const issueChanged = (device: DriverDevice): void => states.changed(device);
  const collector = new Collector({ ...shared, issueChanged });
  const { promise: synced, resolve: allKnown } = Promise.withResolvers<void>();
  const commands = createCommandRunner({ ...shared, synced, store, bus, crash });
  const calls = createCallRunner({ ...shared, synced, store: callStore, bus });
  const updates = new UpdateRunner({ driver, devices, bus, clock, log, node });
  let [registered, stopped] = [false, false];
  let cancelRegister: (() => void) | undefined;

  async function register(delay: number): Promise<void> {
    try {
      const how = { key: driver.code, mandatory: true };
      await bus.publish('svc.e.driver_register', registration(driver, options), how);
    } catch (error) {
      log.warn({ error }, 'driver registration not sent, retrying');
    }
    if (registered || stopped) return;
    const next = Math.min(delay * 2, REGISTER_RETRY_MAX_MS);
    cancelRegister = clock.after(delay, () => void register(next));
  }

  async function onMetadata(message: Metadata): Promise<void> {
    if (message.kind === 'registered') {
      time.learn(message.at);
      if (message.node !== node) return;
      for (const device of known.goneSince(message.since ?? 0)) remove(device);
      if (registered) return;
      registered = true;
      allKnown();
      cancelRegister?.();
      return log.info({ devices: devices.size }, 'the driver is registered');
    }
    if (message.kind === 'device') {
      if (!known.isNewer(message.device.id, message.version)) return;
      const { tenantId, driverId } = message;
      const device: DriverDevice = { ...message.device, tenantId, driverId };
      devices.set(device.id, device);
      serving.know(device.id, message.node ?? '');
      driver.deviceChanged?.(device);
      look(device.id);
      return states.changed(device);
    }
    if (message.kind === 'serving') {
      for (const device of serving.take(message)) states.changed(device);
      for (const { deviceId } of message.devices) look(deviceId);
      return;
    }
    if (message.kind === 'resync') {
      if ((message.node ?? node) === node) await registerAgain();
      return;
    }
    const device = devices.get(message.deviceId);
    const isNewer = known.isNewer(message.deviceId, message.version);
    if (isNewer && device?.tenantId === message.tenantId) remove(device);
  }

  function remove(device: DriverDevice): void {
    devices.delete(device.id);
    known.isGone(device.id);
    serving.forget(device.id);
    driver.deviceRemoved?.(device);
    look(device.id);
  }

  /** Commands that wait for the device: it may listen now, or be asked no more. */
  function look(deviceId: string): void {
    commands.look(deviceId);
    calls.look(deviceId);
  }

  /** Makes the center send all devices again; an unregistered node repeats its registration anyway. */
  async function registerAgain(): Promise<void> {
    if (!registered || stopped) return;
    const declaration = registration(driver, options);
    await bus.publish('svc.e.driver_register', declaration, { key: driver.code });
  }

  /** A broker that comes back may have lost the messages in its queues. */
  function afterOutage(): () => void {
    let wasUp = true;
    return clock.every(LOOK_MS, async () => {
      const isUp = bus.isUp();
      const isBack = isUp && !wasUp;
      wasUp = isUp;
      if (!isBack) return;
      await registerAgain().catch((error: unknown) => {
        wasUp = false;
        log.warn({ error }, 'driver registration after an outage not sent, retrying');
      });
    });
  }

  const to = { bus, clock, driverCode: driver.code, node };
  const host: DriverHost = {
    devices: () => devices,
    synced: () => registered,
    report: (device, point, reading) =>
      reports.add({ device, point, reading: serving.withDoubt(device, reading) }),
    async alarm({ id: entityId, tenantId }, what) {
      const about = { tenantId, target: 'DEVICE', entityId } as const;
      const alarm = { ...about, type: 'STATE_FLIP', source: 'SYSTEM', ...what } as const;
      await within(
        clock,
        ALARM_TIMEOUT_MS,
        bus.publish('svc.e.alarm', alarm, { key: driver.code }),
      );
    },
    registered: (rows) => publishRegistered(to, rows),
    waiting: (endpoints) => publishWaiting(to, endpoints),
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
  const subscriptions: Subscription[] = [];
  const cancels: (() => void)[] = [];
  const schedules: Schedule[] = [];

  try {
    await driver.start(host);
    subscriptions.push(
      await bus.subscribe(
        'svc.e.metadata',
        { queue: `svc.q.metadata.${driver.code}.${node}`, key: driver.code },
        onMetadata,
      ),
    );
    const own = nodeKey(driver.code, node);
    subscriptions.push(
      await bus.subscribe(
        'svc.e.firmware',
        { queue: `svc.q.firmware.${own}`, key: own, prefetch: COMMAND_PREFETCH },
        async (task) => updates.handle(task),
      ),
      await bus.subscribe(
        'svc.e.firmware_portion',
        { queue: `svc.q.firmware_portion.${own}`, key: own, prefetch: COMMAND_PREFETCH },
        async (portion) => updates.takePortion(portion),
      ),
    );
    // Commands for this node, and commands for any copy because no node serves the device.
    for (const key of [own, driver.code])
      subscriptions.push(
        await bus.subscribe(
          'svc.e.point_command',
          { queue: commandQueue('svc.e.point_command', key), key, prefetch: COMMAND_PREFETCH },
          (command, delivery) => commands.handle(command, delivery),
        ),
        await bus.subscribe(
          'svc.e.command',
          { queue: commandQueue('svc.e.command', key), key, prefetch: COMMAND_PREFETCH },
          (message, delivery) => calls.handle(message, delivery),
        ),
      );
  } catch (error) {
    for (const subscription of subscriptions) await subscription.cancel();
    await driver.stop();
    await closeStores();
    throw error;
  }
  void register(REGISTER_RETRY_MS);
  void commands.resume();
  void calls.resume();
  const orphansAnswered = Promise.all([commands.answerOrphans(), calls.answerOrphans()]).catch(
    (error: unknown) => log.error({ error }, 'interrupted commands could not be ended'),
  );
  cancels.push(states.start(), afterOutage());
  schedules.push(schedule(driver.readCron, { clock, log, job: () => collector.run() }));
  if (driver.customCron)
    schedules.push(schedule(driver.customCron, { clock, log, job: async () => driver.custom?.() }));

  return {
    devices: () => devices,
    registered: () => registered,
    async stop() {
      if (stopped) return;
      stopped = true;
      cancelRegister?.();
      collector.stop();
      updates.stop();
      for (const cancel of cancels) cancel();
      for (const { cancel } of schedules) cancel();
      for (const subscription of subscriptions) await subscription.cancel();
      const quiet = Promise.all([
        commands.idle(),
        calls.idle(),
        updates.idle(),
        orphansAnswered,
        reports.close(),
        ...schedules.map(({ idle }) => idle()),
      ]);
      try {
        await within(clock, STOP_WAIT_MS, quiet);
      } catch (error) {
        log.warn({ error }, 'the driver stops with work under way');
      }
      if (!driver.heldMs) await states.leave();
      await driver.stop();
      await closeStores();
    },
  };
}
