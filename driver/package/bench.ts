import { randomUUID } from 'node:crypto';

import { effectDigest } from '../../src/bus/effect.ts';
import { MemoryBus } from '../../src/bus/memory.ts';
import type { Payload, TopicName } from '../../src/bus/topic/topics.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import type { Driver, DriverDevice } from '../sdk/driver.ts';
import { startDriver } from '../sdk/host/host.ts';
import type { CheckedDevice } from './check-file.ts';

type Command = Payload<'svc.e.point_command'>;
type Result = Payload<'svc.e.point_command_result'>;

const POLL_MS = 20;
const VALID_MS = 10_000;

/** A driver on its host, with what the centers would send and take, in one process. */
export type Bench = {
  device: DriverDevice;
  registrations: Payload<'svc.e.driver_register'>[];
  /** Ids of the points that values came of. */
  valued: ReadonlySet<string>;
  /** Codes of the events that were reported. */
  happened: ReadonlySet<string>;
  now(): number;
  send(part: Partial<Command>): Promise<Command>;
  /** Ends with an error after `withinMs`. */
  result(commandId: string, withinMs?: number): Promise<Result>;
  until(what: string, isSo: () => boolean, withinMs?: number): Promise<void>;
  stop(): Promise<void>;
};

/** Starts the driver by the clock of the machine: one that connects by itself is not held up. */
export async function openBench(
  driver: Driver,
  { checked, dataDir }: { checked: CheckedDevice; dataDir: string },
  clock: Clock = systemClock,
): Promise<Bench> {
  const log = createLog('silent');
  const bus = new MemoryBus({ clock, log });
  const device = deviceOf(checked);
  const registrations: Bench['registrations'] = [];
  const valued = new Set<string>();
  const happened = new Set<string>();
  const results: Result[] = [];
  const key = driver.code;
  const take = async <N extends TopicName>(
    topic: N,
    into: (payload: Payload<N>) => unknown,
  ): Promise<void> => {
    const queue = { queue: `check.${topic}`, key: '#' };
    await bus.subscribe(topic, queue, async (payload) => void (await into(payload)));
  };
  await take('svc.e.value', ({ values }) => {
    for (const { pointId } of values) valued.add(pointId);
  });
  await take('svc.e.event', ({ eventCode }) => happened.add(eventCode));
  await take('svc.e.alarm', () => {});
  await take('svc.e.state', async ({ node, devices }) => {
    const asking = devices.filter(({ claim }) => claim === 'asks');
    const served = asking.map(({ tenantId, deviceId, heldMs = null, peer }) => ({
      tenantId,
      deviceId,
      heldMs,
      ...(peer && { peer: { host: peer.host, change: peer.change ?? null } }),
    }));
    const message = { kind: 'serving', driverCode: key, node, devices: served } as const;
    if (served.length > 0) await bus.publish('svc.e.metadata', message, { key });
  });
  await take('svc.e.point_command_result', (result) => results.push(result));
  await take('svc.e.driver_register', async (registration) => {
    registrations.push(registration);
    const { node } = registration;
    const { tenantId, driverId, ...own } = device;
    const about = { driverCode: key, node } as const;
    const one = { kind: 'device', ...about, tenantId, driverId, device: own } as const;
    await bus.publish('svc.e.metadata', one, { key });
    const all = { kind: 'registered', ...about, devices: 1, at: clock.now() } as const;
    await bus.publish('svc.e.metadata', all, { key });
  });
  const running = await startDriver(driver, { bus, clock, log, node: 'check', dataDir });

  async function until(what: string, isSo: () => boolean, withinMs = 15_000): Promise<void> {
    const end = clock.elapsed() + withinMs;
    while (!isSo()) {
      if (clock.elapsed() > end) throw new Error(`${what}: not within ${withinMs / 1_000} s`);
      await new Promise((resolve) => clock.after(POLL_MS, () => resolve(null)));
    }
  }

  return {
    device,
    registrations,
    valued,
    happened,
    until,
    now: () => clock.now(),
    async send(part) {
      const command: Command = {
        schemaVersion: 1,
        commandId: randomUUID(),
        tenantId: device.tenantId,
        deviceId: device.id,
        pointId: '1',
        type: 'READ',
        value: null,
        occurredAt: clock.now(),
        expireAt: clock.now() + VALID_MS,
        remainingMs: VALID_MS,
        ...part,
      };
      const checkedCommand = { ...command, ...effectOf(driver.code, device, command) };
      await bus.publish('svc.e.point_command', checkedCommand, { key });
      return command;
    },
    async result(commandId, withinMs = 15_000) {
      const find = () => results.find((result) => result.commandId === commandId);
      await until('an answer', () => find() !== undefined, withinMs);
      const found = find();
      if (!found) throw new Error('no answer');
      return found;
    },
    async stop() {
      await running.stop();
      await bus.close();
    },
  };
}

/** The effect of a write, as the platform checks it before it sends one. */
function effectOf(
  driverCode: string,
  device: DriverDevice,
  { tenantId, pointId, type, value }: Command,
): { effect?: string } {
  const point = device.points.find(({ id }) => id === pointId);
  if (type === 'READ' || value === null || !point) return {};
  const { driverId } = device;
  return { effect: effectDigest({ tenantId, driverId, driverCode, device, point, value }) };
}

const deviceOf = ({ configs, points, events }: CheckedDevice): DriverDevice => ({
  id: '1',
  tenantId: '1',
  driverId: '1',
  name: 'device',
  enabled: true,
  configs,
  claim: null,
  events: events.map((event, index) => ({
    id: String(index + 1),
    type: 'INFO',
    level: 'LOW',
    ...event,
  })),
  points: points.map(({ code, type, rw, configs: own }, index) => ({
    id: String(index + 1),
    code,
    name: code,
    type,
    rw,
    base: 0,
    multiple: 1,
    decimals: 6,
    unit: '',
    configs: own,
  })),
});
