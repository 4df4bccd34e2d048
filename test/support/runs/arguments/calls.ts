import { NOW, type Plant, ZONE } from './plant.ts';

/** A call as it is meant: ids, times with an offset, numbers as numbers. */
export type Call = { tool: string; args: Record<string, unknown> };

const HOUR_MS = 3_600_000;
const MINUTE = { smallestUnit: 'minute' } as const;
/** In ISO-8601 with the offset of the plant. */
const inPlant = (at: number): string =>
  Temporal.Instant.fromEpochMilliseconds(at).toString({ timeZone: ZONE, ...MINUTE });

const at = (text: string): string => inPlant(Temporal.Instant.from(text).epochMilliseconds);
const TIMES = {
  yesterday: at('2026-07-14T00:00+02:00'),
  today: at('2026-07-15T00:00+02:00'),
  sixToday: at('2026-07-15T06:00+02:00'),
  eveningBefore: at('2026-07-14T18:30+02:00'),
  eightHours: inPlant(NOW - 8 * HOUR_MS),
  threeDays: inPlant(NOW - 72 * HOUR_MS),
  other: at('2026-07-13T14:20+02:00'),
  tomorrow: at('2026-07-16T07:30+02:00'),
  later: at('2026-07-15T18:00+02:00'),
};

/** Right calls of tools that read. */
export function readingCalls({ place, ids }: Plant): Call[] {
  const warm = place('Kältekammer 1', 'air temperature');
  const other = place('Kältekammer 2', 'air temperature');
  const flow = place('Feed pump 1', 'flow');
  const [pair, second] = [warm, flow].map(({ deviceId, pointId }) => ({ deviceId, pointId }));
  const slash = (one: typeof warm): string => `${one.deviceId}/${one.pointId}`;
  const both = [slash(warm), slash(other)];
  const windows = [
    { hours: 24 },
    { hours: 6, rows: 5 },
    { hours: 48, compare: true },
    { from: TIMES.yesterday, to: TIMES.today },
    { from: TIMES.other, to: TIMES.eveningBefore },
    { from: TIMES.threeDays, every: '1d' },
    { from: TIMES.sixToday, every: '1h' },
    { from: TIMES.eightHours, rows: 8 },
  ];
  const sinces = [TIMES.yesterday, TIMES.sixToday, TIMES.eightHours, TIMES.threeDays, TIMES.other];
  return [
    ...windows.map((window) => ({
      tool: 'getPointValueHistory',
      args: { points: both, ...window },
    })),
    ...windows.map((window) => ({ tool: 'getPointValueHistory', args: { ...pair, ...window } })),
    { tool: 'getPointValueHistory', args: { points: [slash(flow)], hours: 12, maxTokens: 600 } },
    { tool: 'getLatestPointValue', args: { ...pair } },
    { tool: 'getLatestPointValue', args: { ...second } },
    { tool: 'lookupDeviceById', args: { deviceId: flow.deviceId } },
    { tool: 'lookupPointById', args: { pointId: flow.pointId } },
    { tool: 'lookupProfileById', args: { profileId: ids.profileId } },
    { tool: 'lookupDriverById', args: { driverId: ids.driverId } },
    { tool: 'searchDevices', args: { query: 'pump', limit: 3 } },
    { tool: 'searchDevices', args: { groupId: ids.groupId } },
    { tool: 'searchDevices', args: { status: 'never connected', profileId: ids.profileId } },
    { tool: 'searchPoints', args: { profileId: ids.profileId, writable: true } },
    { tool: 'searchPoints', args: { deviceId: warm.deviceId, withValue: true, limit: 10 } },
    { tool: 'searchPoints', args: { unit: '°C', limit: 5 } },
    { tool: 'searchPointValues', args: { device: warm.deviceId, writable: true } },
    { tool: 'searchPointValues', args: { unit: 'm³/h', olderThanS: 600 } },
    { tool: 'searchPointValues', args: { unit: '%', quality: 'NONE' } },
    { tool: 'searchPointValues', args: { group: ids.groupId, point: 'temperature' } },
    { tool: 'searchAlarms', args: { state: 'FIRING', level: 'P2', deviceId: warm.deviceId } },
    ...sinces.map((since) => ({ tool: 'searchAlarms', args: { since, state: 'RECOVERED' } })),
    ...sinces.map((since) => ({ tool: 'getHandover', args: { since } })),
    ...sinces.map((since) => ({
      tool: 'searchChanges',
      args: { since, kind: 'configured', maxTokens: 800 },
    })),
    { tool: 'searchEvents', args: { kind: 'reported', acknowledged: false, limit: 5 } },
    { tool: 'searchCommands', args: { kind: 'issued', deviceId: warm.deviceId } },
    { tool: 'waitForEvents', args: { kinds: ['alarm', 'device'], waitS: 0 } },
    { tool: 'searchActions', args: { mine: true, status: 'EXECUTED', since: TIMES.yesterday } },
    { tool: 'searchRules', args: { query: 'warm', pointId: warm.pointId } },
    { tool: 'lookupRuleById', args: { ruleId: ids.ruleId } },
    {
      tool: 'previewRule',
      args: { pointId: warm.pointId, days: 2, operator: '>', threshold: 3.5, hold: 'PT30M' },
    },
    {
      tool: 'previewRule',
      args: { ruleId: ids.ruleId, deviceId: warm.deviceId, days: 1, threshold: 2 },
    },
    { tool: 'drillNotification', args: { ruleId: ids.ruleId, at: TIMES.tomorrow, hours: 6 } },
    { tool: 'drillNotification', args: { deviceId: warm.deviceId, at: TIMES.later, hours: 2 } },
  ];
}

/** Right calls of tools that propose. */
export function proposingCalls({ place, ids, waiting }: Plant): Call[] {
  const [setPoint, otherSetPoint] = ['Kältekammer 1', 'Kältekammer 2'].map((device) =>
    place(device, 'air set-point'),
  );
  const speed = place('Feed pump 1', 'speed');
  const fan = place('Kältekammer 1', 'fan on');
  const note = place('Kältekammer 2', 'operator note');
  const write = ({ deviceId = '', pointId = '' } = {}, value: unknown) => ({
    deviceId,
    pointId,
    value,
  });
  const onboard = (args: object): Call => ({
    tool: 'proposeOnboarding',
    args: { waitingId: waiting.waitingId, ...args },
  });
  const one = (args: object): Call => ({ tool: 'writePointValue', args: { ...args } });
  return [
    one({ ...write(setPoint, -21.5), reason: 'defrost' }),
    one(write(otherSetPoint, 4)),
    one(write(speed, 75)),
    one(write(fan, true)),
    one(write(note, 'filter changed')),
    one(write(note, '06:00')),
    one(write(note, '21')),
    one(write(note, 'null')),
    {
      tool: 'proposeWrites',
      args: { writes: [write(setPoint, -20), write(speed, 60)], reason: 'night' },
    },
    {
      tool: 'proposeRule',
      args: {
        pointId: setPoint?.pointId,
        ruleName: 'Set-point high',
        operator: '>',
        threshold: 8,
        hold: 'PT10M',
        level: 'P3',
      },
    },
    { tool: 'proposeRuleChange', args: { ruleId: ids.ruleId, threshold: 12, level: 'P1' } },
    {
      tool: 'proposeMaintenance',
      args: {
        maintenanceName: 'Pump service',
        deviceIds: [speed.deviceId],
        begin: TIMES.later,
        end: TIMES.tomorrow,
        mode: 'MARK',
      },
    },
    onboard({ deviceName: 'meter 7', profileId: ids.profileId, groupId: ids.groupId }),
    onboard({ deviceName: '06:00', reason: 'Hall 3 has a new meter.' }),
    onboard({ deviceId: waiting.deviceId, groupId: ids.groupId }),
  ];
}
