import { randomUUID } from 'node:crypto';

import { vi } from 'vitest';

import type { DriverDevice } from '../../../driver/sdk/driver.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import { effectDigest } from '../../../src/bus/effect.ts';
import { MemoryBus } from '../../../src/bus/memory.ts';
import type { Payload, TopicName } from '../../../src/bus/topic/topics.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';

type Command = Payload<'svc.e.point_command'>;
type Result = Payload<'svc.e.point_command_result'>;
type CallResult = Payload<'svc.e.command_result'>;

/** What a driver sees of the centers: answers its registration and keeps everything it says. */
export type DriverCenter = {
  bus: Bus;
  registrations: Payload<'svc.e.driver_register'>[];
  values: Payload<'svc.e.value'>['values'];
  states: Payload<'svc.e.state'>[];
  results: Result[];
  alarms: Payload<'svc.e.alarm'>[];
  events: Payload<'svc.e.event'>[];
  /** Calls a command of device 1 and waits for what becomes of it, in real time. */
  call(commandId: string, params?: Record<string, string>): Promise<CallResult>;
  announce(device: DriverDevice): Promise<void>;
  remove(device: DriverDevice): Promise<void>;
  /** Sends a command of 10 s validity, changed by `overrides`; returns it. A write was checked as last announced. */
  send(overrides: Partial<Command>): Promise<Command>;
  /** The result of a command, waited for in real time. */
  result(commandId: string): Promise<Result>;
};

/** The effect of a write as the platform checks it; none of what it would not let pass. */
export function checkedAs(
  driverCode: string,
  device: DriverDevice | undefined,
  { tenantId, pointId, type, value }: Command,
): { effect?: string } {
  const point = device?.points.find(({ id }) => id === pointId);
  if (type === 'READ' || value === null || device?.tenantId !== tenantId) return {};
  if (!point || point.rw === 'READ_ONLY') return {};
  const { driverId } = device;
  return { effect: effectDigest({ tenantId, driverId, driverCode, device, point, value }) };
}

/** `devices` are what the manager tells the driver when it registers, once `ready`; over `bus`, if that is given. */
export async function openDriverCenter(
  clock: Clock,
  driverCode: string,
  devices: readonly DriverDevice[],
  ready: Promise<void> = Promise.resolve(),
  bus: Bus = new MemoryBus({ clock, log: createLog('silent') }),
): Promise<DriverCenter> {
  const key = driverCode;

  const known = new Map(devices.map((device) => [device.id, device]));

  const announce = async (announced: DriverDevice): Promise<void> => {
    known.set(announced.id, announced);
    const { tenantId, driverId, ...device } = announced;
    const node = center.registrations[0]?.node ?? '';
    const message = { kind: 'device', driverCode, tenantId, driverId, device, node } as const;
    await bus.publish('svc.e.metadata', message, { key });
  };
  const keep = async <N extends TopicName>(topic: N, into: (payload: Payload<N>) => unknown) => {
    await bus.subscribe(topic, { queue: `test.${topic}`, key: '#' }, async (payload) => {
      await into(payload);
    });
  };

  const calls: CallResult[] = [];
  const center: DriverCenter = {
    bus,
    registrations: [],
    values: [],
    states: [],
    results: [],
    alarms: [],
    events: [],
    async call(commandId, paramValues = {}) {
      const recordId = randomUUID();
      const [deviceId, tenantId] = ['1', '1'];
      const life = { occurredAt: clock.now(), expireAt: clock.now() + 3_000, remainingMs: 3_000 };
      const about = {
        recordId,
        tenantId,
        deviceId,
        commandId,
        commandCode: commandId,
        paramValues,
      };
      await bus.publish('svc.e.command', { schemaVersion: 1, ...about, ...life }, { key });
      return vi.waitFor(
        () => {
          const found = calls.find((result) => result.recordId === recordId);
          if (!found) throw new Error('no result yet');
          return found;
        },
        { timeout: 20_000, interval: 10 },
      );
    },
    announce,
    async remove({ tenantId, id: deviceId }) {
      const message = { kind: 'removed', driverCode, tenantId, deviceId } as const;
      await bus.publish('svc.e.metadata', message, { key });
    },
    async send(overrides) {
      const made: Command = {
        schemaVersion: 1,
        commandId: randomUUID(),
        tenantId: '1',
        deviceId: '1',
        pointId: '1',
        type: 'READ',
        value: null,
        occurredAt: clock.now(),
        expireAt: clock.now() + 10_000,
        remainingMs: 10_000,
        ...overrides,
      };
      const command =
        'effect' in overrides
          ? made
          : { ...made, ...checkedAs(driverCode, known.get(made.deviceId), made) };
      await bus.publish('svc.e.point_command', command, { key });
      return command;
    },
    result: (commandId) =>
      vi.waitFor(
        () => {
          const found = center.results.find((result) => result.commandId === commandId);
          if (!found) throw new Error('no result yet');
          return found;
        },
        { timeout: 20_000, interval: 10 },
      ),
  };
  await keep('svc.e.event', (event) => center.events.push(event));
  await keep('svc.e.command_result', (result) => calls.push(result));
  await keep('svc.e.alarm', (alarm) => center.alarms.push(alarm));
  await keep('svc.e.value', ({ values }) => center.values.push(...values));
  await keep('svc.e.state', async (state) => {
    center.states.push(state);
    const { node } = state;
    const asking = state.devices.filter(({ claim, peer }) => claim === 'asks' && peer);
    const told = asking.map(({ tenantId, deviceId, heldMs = null, peer }) => ({
      tenantId,
      deviceId,
      heldMs,
      ...(peer && { peer: { host: peer.host, change: peer.change ?? null } }),
    }));
    const serving = { kind: 'serving', driverCode, node, devices: told } as const;
    if (told.length > 0) await bus.publish('svc.e.metadata', serving, { key });
  });
  await keep('svc.e.point_command_result', (result) => center.results.push(result));
  await keep('svc.e.driver_register', async (registration) => {
    center.registrations.push(registration);
    await ready;
    for (const device of devices) await announce(device);
    const { node } = registration;
    const answer = {
      kind: 'registered',
      driverCode,
      node,
      devices: devices.length,
      at: clock.now(),
    } as const;
    await bus.publish('svc.e.metadata', answer, { key });
  });
  return center;
}

/** A device of tenant 1 with these configs and points. */
export function driverDevice(
  configs: Record<string, string>,
  points: readonly (Partial<DriverDevice['points'][number]> & { id: string; code: string })[],
  id = '1',
): DriverDevice {
  return {
    id,
    tenantId: '1',
    driverId: '9',
    name: `device ${id}`,
    enabled: true,
    configs,
    claim: configs['endpoint'] ? { endpoint: configs['endpoint'], number: id } : null,
    points: points.map((point) => ({
      name: point.code,
      type: 'DOUBLE',
      rw: 'READ_ONLY',
      base: 0,
      multiple: 1,
      decimals: 6,
      unit: '',
      configs: {},
      ...point,
    })),
  };
}
