import { z } from 'zod';

import type { AttributeType } from '../../src/bus/topic/topics.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { attribute } from '../sdk/attribute.ts';
import {
  type Attribute,
  type Driver,
  type DriverDevice,
  DriverFailure,
  type DriverPoint,
} from '../sdk/driver.ts';
import { answerCall, commandAttributes, eventAttributes } from './call.ts';
import { approach, noiseAt, seedOf, type Signal, signalAt } from './signal.ts';

const number = z.coerce.number().refine(Number.isFinite);
const Config = z.object({
  signal: z.enum(['sine', 'ramp', 'random-walk', 'constant', 'setpoint', 'follow']),
  min: number,
  max: number,
  periodS: number.refine((seconds) => seconds > 0),
  value: z.string(),
  follows: z.string(),
  noise: number,
});

const integers: ReadonlySet<AttributeType> = new Set(['BYTE', 'SHORT', 'INT', 'LONG']);

/** docs/specification/drivers.md, Virtual driver. */
const pointAttributes = [
  attribute('tag', 'STRING', 'TAG', 'Name of the signal; decides its random course'),
  attribute('signal', 'STRING', 'sine', 'sine, ramp, random-walk, constant, setpoint or follow'),
  attribute('min', 'DOUBLE', '0', 'Smallest raw value'),
  attribute('max', 'DOUBLE', '100', 'Largest raw value'),
  attribute('periodS', 'DOUBLE', '60', 'Period in seconds; for follow the time constant'),
  attribute('value', 'STRING', '0', 'Constant value, or the first value of a set-point'),
  attribute('follows', 'STRING', '', 'Code of the set-point that a follow point approaches'),
  attribute('noise', 'DOUBLE', '0', 'How far a value wanders around its signal at most'),
] as const satisfies readonly Attribute[];

/** Devices without hardware: set-points, and signals that depend only on clock and configuration. */
export function createVirtualDriver({ clock }: { clock: Clock }): Driver {
  /** By device and point id: the last written value. */
  const written = new Map<string, string>();
  /** By device and point id: the value of a follower when its target last changed. */
  const courses = new Map<string, { from: number; to: number; since: number }>();

  function configOf(point: DriverPoint): z.infer<typeof Config> {
    const defaults = Object.fromEntries(
      pointAttributes.map(({ code, defaultValue }) => [code, defaultValue]),
    );
    const parsed = Config.safeParse({ ...defaults, ...point.configs });
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new DriverFailure('POINT_CONFIG', `${issue?.path.join('.')}: ${issue?.message}`);
  }

  function textOf(device: DriverDevice, point: DriverPoint): string {
    const config = configOf(point);
    const fixed = written.get(key(device, point)) ?? config.value;
    if (config.signal === 'setpoint') return fixed;
    if (config.signal === 'constant') return config.value;
    const seed = seedOf(device.id, point.id, point.configs['tag'] ?? '');
    const signal =
      config.signal === 'follow'
        ? follow(device, point, config)
        : signalAt(
            { ...config, kind: config.signal, value: 0 } satisfies Signal,
            seed,
            clock.now(),
          );
    const { noise, periodS } = config;
    const value = signal + (noise === 0 ? 0 : noiseAt(noise, periodS, seed, clock.now()));
    if (point.type === 'BOOLEAN') return String(value >= (config.min + config.max) / 2);
    return String(integers.has(point.type) ? Math.round(value) : Number(value.toFixed(3)));
  }

  function follow(
    device: DriverDevice,
    point: DriverPoint,
    config: z.infer<typeof Config>,
  ): number {
    const target = device.points.find(({ code }) => code === config.follows);
    if (!target || target.id === point.id || configOf(target).signal === 'follow')
      throw new DriverFailure('POINT_CONFIG', `follows: ${config.follows} is no point to follow`);
    const to = Number(textOf(device, target));
    const now = clock.now();
    // After a start of the process a follower is at its target already.
    const course = courses.get(key(device, point)) ?? { from: to, to, since: now };
    const value = approach(course.from, course.to, now - course.since, config.periodS);
    courses.set(key(device, point), course.to === to ? course : { from: value, to, since: now });
    return Math.min(config.max, Math.max(config.min, value));
  }

  function forget(device: DriverDevice): void {
    for (const { id } of device.points) {
      written.delete(`${device.id}/${id}`);
      courses.delete(`${device.id}/${id}`);
    }
  }

  return {
    code: 'VirtualDriver',
    name: 'Virtual Driver',
    type: 'DRIVER_CLIENT',
    driverAttributes: [
      attribute('host', 'STRING', 'localhost', 'Declared for compatibility, not used'),
      attribute('port', 'INT', '18600', 'Declared for compatibility, not used'),
    ],
    pointAttributes,
    commandAttributes,
    eventAttributes,
    readCron: '0/30 * * * * ?',
    customCron: '0/5 * * * * ?',
    start: async () => {},
    deviceRemoved: forget,
    status: ({ enabled }) =>
      enabled
        ? { status: 'ONLINE', description: 'virtual' }
        : { status: 'OFFLINE', description: 'disabled' },
    read: async (device, point) => ({
      rawValue: textOf(device, point),
      originTime: clock.now(),
    }),
    async write(device, point, raw) {
      if (configOf(point).signal !== 'setpoint')
        throw new DriverFailure(
          'DEVICE_REFUSED',
          'only a point with signal=setpoint can be written',
        );
      // A follower turns from its present value, so its course is updated first.
      for (const follower of device.points)
        if (follower.configs['follows'] === point.code) textOf(device, follower);
      written.set(key(device, point), raw);
      for (const follower of device.points)
        if (follower.configs['follows'] === point.code) textOf(device, follower);
    },
    call: async (_device, command, params) => answerCall(command, params),
    stop: async () => {},
  };
}

function key(device: DriverDevice, point: DriverPoint): string {
  return `${device.id}/${point.id}`;
}
