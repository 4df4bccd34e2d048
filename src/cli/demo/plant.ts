/** A point of the plant; `limits` make it a set-point: what a write may ask for. */
export type PlantPoint = {
  pointName: string;
  pointCode: string;
  unit: string;
  limits?: readonly [number, number];
  /** Point attribute of the virtual driver → config value. */
  configs: Readonly<Record<string, string>>;
};

export type PlantDevice = {
  deviceName: string;
  deviceCode: string;
  profileName: string;
  points: readonly PlantPoint[];
};

/** The tag decides, with the ids of device and point, the random course. */
const point = ({ configs, ...rest }: PlantPoint): PlantPoint => ({
  ...rest,
  configs: { tag: rest.pointCode, ...configs },
});

const boiler = (
  name: string,
  code: string,
  target: string,
  pressure: readonly [string, string],
): PlantDevice => ({
  deviceName: name,
  deviceCode: code,
  profileName: 'Boiler',
  points: [
    point({
      pointName: 'supply temperature',
      pointCode: 'supply-temperature',
      unit: '°C',
      configs: {
        signal: 'follow',
        follows: 'set-point',
        min: '20',
        max: '95',
        periodS: '300',
        noise: '0.6',
      },
    }),
    point({
      pointName: 'set-point',
      pointCode: 'set-point',
      unit: '°C',
      limits: [40, 85],
      configs: { signal: 'setpoint', value: target },
    }),
    point({
      pointName: 'pressure',
      pointCode: 'pressure',
      unit: 'bar',
      configs: { signal: 'random-walk', min: pressure[0], max: pressure[1], periodS: '900' },
    }),
  ],
});

const pump = (name: string, code: string, vibration: readonly [string, string]): PlantDevice => ({
  deviceName: name,
  deviceCode: code,
  profileName: 'Feed pump',
  points: [
    point({
      pointName: 'vibration',
      pointCode: 'vibration',
      unit: 'mm/s',
      configs: { signal: 'random-walk', min: vibration[0], max: vibration[1], periodS: '600' },
    }),
    point({
      pointName: 'speed',
      pointCode: 'speed',
      unit: 'rpm',
      limits: [600, 2_900],
      configs: { signal: 'setpoint', value: '1450' },
    }),
  ],
});

const tank = (name: string, code: string): PlantDevice => ({
  deviceName: name,
  deviceCode: code,
  profileName: 'Buffer tank',
  points: [
    point({
      pointName: 'level',
      pointCode: 'level',
      unit: '%',
      configs: { signal: 'sine', min: '45', max: '75', periodS: '86400' },
    }),
    point({
      pointName: 'temperature',
      pointCode: 'temperature',
      unit: '°C',
      configs: { signal: 'sine', min: '52', max: '60', periodS: '86400' },
    }),
  ],
});

/** A small boiler house, each device with the signals that go on where its made-up week ends (`past-week.ts`). */
export const plant: readonly PlantDevice[] = [
  boiler('Boiler 1', 'boiler-1', '72', ['1.5', '1.7']),
  boiler('Boiler 2', 'boiler-2', '68', ['0.95', '1.15']),
  pump('Feed pump 1', 'feed-pump-1', ['2.2', '2.6']),
  pump('Feed pump 2', 'feed-pump-2', ['7.3', '7.9']),
  tank('Buffer tank', 'buffer-tank'),
];
