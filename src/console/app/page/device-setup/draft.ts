import { signal } from '@preact/signals';

import type { Schemas } from '../../client/operations.ts';
import { onOtherPerson } from '../../client/session.ts';

export type Attribute = Schemas['Attribute'];
export type NewPoint = {
  /** Of this page; what the point has as long as it has no id. */
  key: string;
  name: string;
  type: Schemas['Point']['pointTypeFlag'];
  rw: Schemas['Point']['rwFlag'];
  unit: string;
};

/** What is entered; nothing of it is made before the last step. */
export type Draft = {
  driverId: string;
  /** Empty for a new profile. */
  profileId: string;
  profileName: string;
  points: readonly NewPoint[];
  deviceName: string;
  /** By the id of the attribute. */
  ofDevice: Readonly<Record<string, string>>;
  /** By the id or key of the point and the code of the attribute. */
  ofPoints: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/** What was made, by its name in the plan: its id and what it was made with. It stays when a later part is refused. */
export type Made = Readonly<Record<string, { id: string; text: string }>>;

const EMPTY: Draft = {
  driverId: '',
  profileId: '',
  profileName: '',
  points: [],
  deviceName: '',
  ofDevice: {},
  ofPoints: {},
};

/** Kept beside the page: going to another one and back loses nothing. */
export const draft = signal<Draft>(EMPTY);
export const made = signal<Made>({});

export const change = (given: Partial<Draft>): void => {
  draft.value = { ...draft.value, ...given };
};

export function startAgain(): void {
  draft.value = EMPTY;
  made.value = {};
}

onOtherPerson(startAgain);

let keys = 0;
export const newPoint = (given: Partial<NewPoint> = {}): NewPoint => ({
  key: `new-${(keys += 1)}`,
  name: '',
  type: 'DOUBLE',
  rw: 'READ_ONLY',
  unit: '',
  ...given,
});

type Example = Partial<NewPoint> & { of: Record<string, string> };
const resource = (objectId: string, resourceId: string): Record<string, string> => ({
  objectId,
  objectInstanceId: '0',
  resourceId,
});

/** By driver: points that give values at once, those of the simulated device for LwM2M; of MQTT and HTTP, once a device sends. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  Lwm2mDriver: [
    { name: 'temperature', unit: '°C', of: resource('3303', '5700') },
    { name: 'set-point', unit: '°C', rw: 'READ_WRITE', of: resource('3308', '5900') },
  ],
  MqttDriver: [
    { name: 'temperature', unit: '°C', of: {} },
    {
      name: 'set-point',
      unit: '°C',
      rw: 'READ_WRITE',
      of: { writeTopic: '${device}/${point}/set' },
    },
  ],
  HttpDriver: [
    { name: 'temperature', unit: '°C', of: {} },
    { name: 'humidity', unit: '%', of: {} },
  ],
  VirtualDriver: [
    { name: 'pressure', unit: 'bar', of: { signal: 'sine', min: '1', max: '3', periodS: '120' } },
    { name: 'target', unit: '°C', rw: 'READ_WRITE', of: { signal: 'setpoint', value: '60' } },
  ],
};

/** Fills the points in as an example of the driver has them. */
export function takeExample(driverCode: string): void {
  const points = (EXAMPLES[driverCode] ?? []).map(({ of, ...given }) => ({
    of,
    point: newPoint(given),
  }));
  change({
    points: points.map(({ point }) => point),
    ofPoints: {
      ...draft.value.ofPoints,
      ...Object.fromEntries(points.map(({ point, of }) => [point.key, of])),
    },
  });
}
