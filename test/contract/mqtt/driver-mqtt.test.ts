import { afterAll, beforeAll } from 'vitest';

import { createMqttDriver } from '../../../driver/mqtt/driver.ts';
import { driverSuite } from '../../support/contract/driver-suite.ts';
import { driverDevice } from '../../support/devices/driver-center.ts';
import { startField } from '../../support/mqtt/field.ts';
import { type Mosquitto, startMosquitto } from '../../support/mqtt/mosquitto.ts';

let broker: Mosquitto;
const configs: Record<string, string> = { device: 'dev-1', statusTopic: '${device}/status' };
beforeAll(async () => {
  broker = await startMosquitto();
  configs['url'] = broker.url;
});
afterAll(() => broker.stop());

const readTopic = { readTopic: '${device}/get/${point}' };

driverSuite('mqtt', {
  create: ({ clock, log, dataDir }) => ({
    driver: createMqttDriver({ clock, log, dataDir, egressAllow: [`127.0.0.1:${broker.port}`] }),
    field: () => startField(broker.url),
  }),
  device: driverDevice(configs, [
    { id: '1', code: 'temperature', configs: readTopic },
    {
      id: '2',
      code: 'setPoint',
      type: 'FLOAT',
      rw: 'READ_WRITE',
      configs: { ...readTopic, writeTopic: '${device}/set', replyTopic: '${device}/reply' },
    },
    { id: '3', code: 'state', type: 'STRING', configs: readTopic },
  ]),
});
