import type { Call } from './calls.ts';
import type { Plant } from './plant.ts';
import { answerOf } from './run.ts';

/** Of a point in °C from -30 to 90: what is no value of it, or may be one of two. */
const NO_VALUES = [
  '',
  ' ',
  '21,5',
  '1,000',
  '21 kPa',
  'about 21',
  'twenty',
  '0x15',
  '1e400',
  'NaN',
  'Infinity',
  '--5',
  '+-5',
  '5-',
  '1.2.3',
  '21 22',
  '20-25',
  '>20',
  '20..25',
  '21%',
  '1/2',
  '٢١',
  '21 °',
  'null',
  'None',
  'undefined',
  '{"value":21}',
  '[21]',
  'true',
  '200 °F',
  '91',
  '-30.5',
  '5 K',
  '°C 21',
] as const;
const NO_SWITCHES = [
  '',
  'on',
  'off',
  'yes',
  'an',
  '2',
  '-1',
  'open',
  'null',
  'truee',
  '1.0',
  'true false',
] as const;
const NO_SPEEDS = ['75.5', '75,5', '101', '-1', '75 %%', 'half', '3/4', '75 rpm', '7 5'] as const;

/** Calls that nobody can be sure of: each has to be refused. */
export function wrongWrites({ place, ids, waiting }: Plant): Call[] {
  const set = (device: string, point: string, value: unknown): Call => {
    const { deviceId, pointId } = place(device, point);
    return { tool: 'writePointValue', args: { deviceId, pointId, value } };
  };
  const { deviceId, pointId } = place('Kältekammer 1', 'air set-point');
  const write = (args: object): Call => ({ tool: 'writePointValue', args: { ...args } });
  const onboard = (args: object): Call => ({
    tool: 'proposeOnboarding',
    args: { waitingId: waiting.waitingId, ...args },
  });
  return [
    ...NO_VALUES.map((value) => set('Kältekammer 1', 'air set-point', value)),
    ...[[21], { value: 21 }, null, ['21']].map((value) =>
      set('Kältekammer 1', 'air set-point', value),
    ),
    ...NO_SWITCHES.map((value) => set('Kältekammer 1', 'fan on', value)),
    ...NO_SPEEDS.map((value) => set('Feed pump 1', 'speed', value)),
    // A place that is near two, or none.
    write({ pointId: 'Kammer unter Nord air set-point', value: 5 }),
    write({ deviceId: 'Kammer unter Nord', pointId: 'air set-point', value: 5 }),
    write({ deviceId: 'Kältekammer', pointId: 'air set-point', value: 5 }),
    write({ pointId: 'air set-point', value: 5 }),
    write({ deviceId: 'Kältekammer 12', pointId: 'air set-point', value: 5 }),
    write({ deviceId: ['Kältekammer 1', 'Kältekammer 2'], pointId: 'air set-point', value: 5 }),
    write({ deviceId: 'null', pointId: 'air set-point', value: 5 }),
    // Two of one, or what the tool does not take.
    write({ deviceId, pointId, point_id: '1', value: 5 }),
    write({ deviceId, pointId, value: 5, Value: 6 }),
    write({ deviceId, pointId, value: 5, unit: 'K' }),
    write({ deviceId, pointId, value: 5, delay: 60 }),
    write({ arguments: { deviceId, pointId, value: 5 }, deviceId }),
    {
      tool: 'proposeWrites',
      args: {
        writes: [
          { deviceId, pointId, value: 5 },
          { pointId: 'set-point', value: 6 },
        ],
      },
    },
    {
      tool: 'proposeMaintenance',
      args: { maintenanceName: 'x', deviceIds: [deviceId], end: '06:00' },
    },
    {
      tool: 'proposeMaintenance',
      args: { maintenanceName: 'x', deviceIds: [deviceId], end: '16/07/2026' },
    },
    {
      tool: 'proposeMaintenance',
      args: { maintenanceName: 'x', deviceIds: ['Kammer unter Nord'], end: 'tomorrow 06:00' },
    },
    // A device that is new or not, of one driver, in one group.
    onboard({}),
    onboard({ deviceId: waiting.deviceId, deviceName: 'meter' }),
    onboard({ deviceId: waiting.deviceId, profileId: ids.profileId }),
    onboard({ deviceName: 'Feed pump 1' }),
    onboard({ deviceName: '' }),
    onboard({ deviceId }),
    onboard({ deviceId: 'thnig' }),
    onboard({ deviceName: 'meter', profileId: 'chambre' }),
    onboard({ deviceName: 'meter', profileId: 'chamber pump' }),
    onboard({ deviceName: 'meter', groupId: 'Cold stroe' }),
    onboard({ deviceName: 'meter', groupId: [ids.groupId, '999999'] }),
    onboard({ deviceName: 'meter', groupId: ids.groupId, group: 'Roof' }),
    onboard({ deviceName: 'meter', room: 'Hall 3' }),
    onboard({ deviceName: ['meter 7', 'meter 8'] }),
    onboard({ waitingId: 'urn:stranger', deviceName: 'meter' }),
    onboard({ waitingId: '999999', deviceName: 'meter' }),
    onboard({ waitingId: [waiting.waitingId, '999999'], deviceName: 'meter' }),
  ];
}

/** Those that made a proposal, each with what it was taken for. */
export async function guessedWrites(plant: Plant): Promise<string[]> {
  const guessed: string[] = [];
  for (const call of wrongWrites(plant)) {
    const answer = await answerOf(plant, call);
    if (answer.ok)
      guessed.push(`${call.tool} ${JSON.stringify(call.args)}: ${answer.text.slice(0, 160)}`);
  }
  return guessed;
}
