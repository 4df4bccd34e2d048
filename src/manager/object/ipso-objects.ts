import type { ObjectDefinition } from './definition.ts';
import { ipsoResources } from './ipso-resources.ts';

/** Id, name, resources that every instance has, and those that it may have. */
type Row = readonly [number, string, readonly number[], readonly number[]];

/** Of a measurement: when it was taken, and of which quality. */
const TIMED = [5518, 6050];
const JUDGED = [6042, 6049];
/** Of a sensor: its smallest and largest measured value and how to reset them, its range. */
const EXTREMES = [5601, 5602, 5605];
const RANGE = [5603, 5604];
const SENSOR = [...EXTREMES, ...RANGE, 5701, 5750, ...TIMED, ...JUDGED];
/** A sensor that can be calibrated. */
const METER = [...SENSOR, 5821];

const rows: readonly Row[] = [
  [3200, 'Digital Input', [5500], [5501, 5502, 5503, 5504, 5505, 5750, 5751, ...TIMED]],
  [3201, 'Digital Output', [5550], [5551, 5750, ...TIMED]],
  [3202, 'Analog Input', [5600], [5750, 5751, ...EXTREMES, ...RANGE, ...TIMED, ...JUDGED]],
  [3203, 'Analog Output', [5650], [5750, ...RANGE, ...TIMED]],
  [3300, 'Generic Sensor', [5700], [5751, ...SENSOR]],
  [3301, 'Illuminance', [5700], SENSOR],
  [3302, 'Presence', [5500], [5501, 5505, 5751, 5903, 5904, 5750, ...TIMED, ...JUDGED]],
  [3303, 'Temperature', [5700], SENSOR],
  [3304, 'Humidity', [5700], SENSOR],
  [
    3305,
    'Power Measurement',
    [5800],
    [
      5801,
      5802,
      5803,
      5804,
      5805,
      5806,
      5810,
      5811,
      5812,
      5813,
      5814,
      5815,
      5816,
      5820,
      5821,
      5822,
      5605,
      5750,
      ...TIMED,
      ...JUDGED,
    ],
  ],
  [3306, 'Actuation', [5850], [5851, 5852, 5853, 5750, ...TIMED]],
  [3308, 'Set Point', [5900], [5701, 5706, 5750, ...TIMED]],
  [3310, 'Load Control', [5823, 5824, 5825], [5826, 5827, 5828, 5750, ...TIMED]],
  [3311, 'Light Control', [5850], [5851, 5852, 5805, 5820, 5706, 5701, 5750]],
  [3312, 'Power Control', [5850], [5851, 5852, 5805, 5820, 5750, ...TIMED]],
  [3313, 'Accelerometer', [5702], [5703, 5704, 5701, 5750, ...RANGE, ...TIMED, ...JUDGED]],
  [3314, 'Magnetometer', [5702], [5703, 5704, 5705, 5701, 5750, ...TIMED, ...JUDGED]],
  [3315, 'Barometer', [5700], SENSOR],
  [3316, 'Voltage', [5700], METER],
  [3317, 'Current', [5700], METER],
  [3318, 'Frequency', [5700], METER],
  [3319, 'Depth', [5700], METER],
  [3320, 'Percentage', [5700], METER],
  [3321, 'Altitude', [5700], METER],
  [3322, 'Load', [5700], METER],
  [3323, 'Pressure', [5700], METER],
  [3324, 'Loudness', [5700], METER],
  [3325, 'Concentration', [5700], METER],
  [3326, 'Acidity', [5700], METER],
  [3327, 'Conductivity', [5700], METER],
  [3328, 'Power', [5700], METER],
  [3329, 'Power Factor', [5700], METER],
  [3330, 'Distance', [5700], METER],
  [3331, 'Energy', [5700], [5701, 5822, 5750, ...TIMED, ...JUDGED]],
  [3332, 'Direction', [5705], [5750, ...EXTREMES, ...TIMED, ...JUDGED]],
  [3333, 'Time', [5506], [5507, 5750, ...JUDGED]],
  [
    3334,
    'Gyrometer',
    [5702],
    [
      5703,
      5704,
      5701,
      5508,
      5509,
      5510,
      5511,
      5512,
      5513,
      5605,
      5750,
      ...RANGE,
      ...TIMED,
      ...JUDGED,
    ],
  ],
  [3335, 'Colour', [5706], [5701, 5750, ...TIMED, ...JUDGED]],
  [3336, 'Location', [6051, 6052], [6053, 5705, 5517, 5750, ...TIMED, ...JUDGED]],
  [3337, 'Positioner', [5536], [5537, 5538, 5519, 5520, 5750, ...EXTREMES, ...TIMED]],
  [3338, 'Buzzer', [5850, 5525], [5548, 5521, 5750, ...TIMED]],
  [3339, 'Audio Clip', [5522], [5523, 5548, 5524, 5750]],
  [3340, 'Timer', [5521], [5538, 5525, 5523, 5850, 5501, 5544, 5543, 5534, 5526, 5750]],
  [3341, 'Addressable Text Display', [5527], [5528, 5529, 5545, 5546, 5530, 5548, 5531, 5750]],
  [3342, 'On/Off switch', [5500], [5501, 5852, 5854, 5750, ...TIMED]],
  [3343, 'Dimmer', [5548], [5852, 5854, 5750]],
  [3344, 'Up/Down Control', [5532, 5533], [5541, 5542, 5750]],
  [3345, 'Multiple Axis Joystick', [], [5500, 5501, 5702, 5703, 5704, 5750]],
  [3346, 'Rate', [5700], METER],
  [3347, 'Push button', [5500], [5501, 5750, ...TIMED]],
  [3348, 'Multi-state Selector', [5547], [5750, ...TIMED]],
  [3349, 'Bitmap', [5910], [5911, 5912, 5750, ...TIMED]],
  [3350, 'Stopwatch', [5544], [5850, 5501, 5750, ...TIMED, ...JUDGED]],
];

const byId = new Map(ipsoResources.map((one) => [one.id, one]));

const takenFrom = (ids: readonly number[], isMandatory: boolean) =>
  ids.flatMap((id) => {
    const one = byId.get(id);
    return one ? { ...one, isMandatory } : [];
  });

/** The IPSO objects of sensors, switches and actuators (public registry). */
export const ipsoObjects: readonly ObjectDefinition[] = rows.map(
  ([id, name, mandatory, optional]) => ({
    id,
    name,
    resources: [...takenFrom(mandatory, true), ...takenFrom(optional, false)],
  }),
);
