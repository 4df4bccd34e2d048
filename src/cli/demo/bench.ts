type Point = {
  pointName: string;
  pointCode: string;
  pointTypeFlag: string;
  rwFlag: string;
  unit?: string;
  minValue?: number;
  maxValue?: number;
  /** Point attribute code → config value. */
  configs: Record<string, string>;
};

export type DemoDevice = {
  driverCode: string;
  profileName: string;
  profileCode: string;
  deviceName: string;
  deviceCode: string;
  /** Driver attribute code → config value. */
  configs: Record<string, string>;
  points: Point[];
  commands: { commandName: string; [field: string]: unknown }[];
  events: { eventName: string; [field: string]: unknown }[];
};

const resource = (objectId: number, resourceId: number): Record<string, string> => ({
  objectId: String(objectId),
  objectInstanceId: '0',
  resourceId: String(resourceId),
});

/** Devices that every start with `SVC_DEMO=on` looks for in the tenant `default`: one of each driver, to try things on. */
export const benchDevices: DemoDevice[] = [
  {
    driverCode: 'Lwm2mDriver',
    profileName: 'lwm2m-thermostat',
    profileCode: 'lwm2m-thermostat',
    deviceName: 'dev-1',
    deviceCode: 'dev-1',
    configs: { endpoint: 'dev-1' },
    points: [
      {
        pointName: 'temperature',
        pointCode: 'temperature',
        pointTypeFlag: 'DOUBLE',
        rwFlag: 'READ_ONLY',
        unit: '°C',
        configs: resource(3303, 5700),
      },
      {
        pointName: 'set-point',
        pointCode: 'set-point',
        pointTypeFlag: 'DOUBLE',
        rwFlag: 'READ_WRITE',
        unit: '°C',
        minValue: 5,
        maxValue: 35,
        configs: resource(3308, 5900),
      },
      {
        pointName: 'reboot',
        pointCode: 'reboot',
        pointTypeFlag: 'BOOLEAN',
        rwFlag: 'WRITE_ONLY',
        configs: resource(3, 4),
      },
    ],
    commands: [
      { commandName: 'reboot', commandTypeFlag: 'ACTION', callTypeFlag: 'ASYNC', timeout: 30 },
    ],
    events: [{ eventName: 'rebooted', eventTypeFlag: 'LIFECYCLE', eventLevelFlag: 'LOW' }],
  },
  {
    driverCode: 'VirtualDriver',
    profileName: 'virtual-boiler',
    profileCode: 'virtual-boiler',
    deviceName: 'virtual-1',
    deviceCode: 'virtual-1',
    configs: {},
    points: [
      {
        pointName: 'pressure',
        pointCode: 'pressure',
        pointTypeFlag: 'DOUBLE',
        rwFlag: 'READ_ONLY',
        unit: 'bar',
        configs: { signal: 'sine', min: '1', max: '3', periodS: '120' },
      },
      {
        pointName: 'level',
        pointCode: 'level',
        pointTypeFlag: 'DOUBLE',
        rwFlag: 'READ_ONLY',
        unit: '%',
        configs: { signal: 'random-walk', min: '20', max: '80' },
      },
      {
        pointName: 'target',
        pointCode: 'target',
        pointTypeFlag: 'DOUBLE',
        rwFlag: 'READ_WRITE',
        unit: '°C',
        minValue: 0,
        maxValue: 90,
        configs: { signal: 'setpoint', value: '60' },
      },
    ],
    commands: [],
    events: [{ eventName: 'overpressure', eventTypeFlag: 'ALERT', eventLevelFlag: 'HIGH' }],
  },
];
