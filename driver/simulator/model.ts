import type { Clock } from '../../src/kernel/clock.ts';
import type { Resource, ResourceValue } from './encoding.ts';
import type { FirmwareOptions } from './firmware.ts';

const START_TEMPERATURE = 18;
const START_SET_POINT = 20;
const TIME_CONSTANT_MS = 20_000;
const WAVE = 0.3;
const WAVE_PERIOD_MS = 47_000;

/** The simulated room: its temperature approaches the set-point, with a small wave. */
export function createModel(
  clock: Clock,
  {
    setPoint: startSetPoint = START_SET_POINT,
    sensor = (measured) => measured,
    time,
    firmware,
  }: {
    setPoint?: number;
    sensor?: (measured: number) => number;
    time?: () => number;
    firmware?: FirmwareOptions;
  } = {},
) {
  let setPoint = startSetPoint;
  let from = START_TEMPERATURE;
  let since = clock.now();
  let muted = false;

  function settled(): number {
    return setPoint + (from - setPoint) * Math.exp((since - clock.now()) / TIME_CONSTANT_MS);
  }

  return {
    setPoint: () => setPoint,
    setSetPoint(value: number): void {
      from = settled();
      since = clock.now();
      setPoint = value;
    },
    temperature(): number {
      const wave = WAVE * Math.sin((2 * Math.PI * clock.now()) / WAVE_PERIOD_MS);
      return sensor(Number((settled() + wave).toFixed(2)));
    },
    /** Whether the server wants no Send (OMA Core 1.1, E.2: Mute Send). */
    isMuted: () => muted,
    mute: (value: boolean) => void (muted = value),
    /** Time of the device's own clock. */
    time: () => time?.() ?? clock.now(),
    /** The time that it sends with a value; none unless it was given a clock. */
    sent: () => time?.() ?? null,
    flash: firmware?.flash,
    hidesResult: firmware?.hidesResult ?? false,
  };
}

export type Model = ReturnType<typeof createModel>;

/** Readable resources by path. */
const resources: Readonly<Record<string, Resource & { read: (model: Model) => ResourceValue }>> = {
  '/3/0/0': { object: 3, instance: 0, id: 0, kind: 'string', read: () => 'Simulated Devices' },
  '/3/0/9': { object: 3, instance: 0, id: 9, kind: 'integer', read: () => 87 },
  '/3/0/13': {
    object: 3,
    instance: 0,
    id: 13,
    kind: 'integer',
    read: (model) => Math.floor(model.time() / 1000),
  },
  '/3303/0/5700': {
    object: 3303,
    instance: 0,
    id: 5700,
    kind: 'float',
    read: (model) => model.temperature(),
  },
  '/3308/0/5900': {
    object: 3308,
    instance: 0,
    id: 5900,
    kind: 'float',
    read: (model) => model.setPoint(),
  },
};

const RESULT = '/5/0/5';
/** Those of a device with firmware to update. */
const firmware: typeof resources = {
  '/3/0/3': {
    object: 3,
    instance: 0,
    id: 3,
    kind: 'string',
    read: ({ flash }) => flash?.version ?? '',
  },
  '/5/0/3': {
    object: 5,
    instance: 0,
    id: 3,
    kind: 'integer',
    read: ({ flash }) => flash?.state ?? 0,
  },
  [RESULT]: {
    object: 5,
    instance: 0,
    id: 5,
    kind: 'integer',
    read: ({ flash }) => flash?.result ?? 0,
  },
};

const all: typeof resources = { ...resources, ...firmware };
const { [RESULT]: _result, ...withoutResult } = all;

export function resourcesOf({ flash, hidesResult }: Model): typeof resources {
  if (!flash) return resources;
  return hidesResult ? withoutResult : all;
}

export const resourceAt = (path: string, model: Model) => resourcesOf(model)[path];

export const TEMPERATURE = '/3303/0/5700';
export const MUTE_SEND = '/1/0/23';
export const SET_POINT = '/3308/0/5900';
export const REBOOT = '/3/0/4';
export const LINKS = '</>;rt="oma.lwm2m";ct="0 110 11542",</1/0>,</3/0>,</3303/0>,</3308/0>';
