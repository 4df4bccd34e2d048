import { afterAll, beforeAll } from 'vitest';

import { createHttpDriver } from '../../../driver/http/driver.ts';
import { driverSuite } from '../../support/contract/driver-suite.ts';
import { driverDevice } from '../../support/devices/driver-center.ts';
import { type HttpField, startHttpField } from '../../support/http/field.ts';

let field: HttpField;
let before = 0;
const configs: Record<string, string> = {};
beforeAll(async () => {
  field = await startHttpField();
  configs['url'] = field.url;
});
afterAll(() => field.stop());

driverSuite('http', {
  create: ({ clock, log, dataDir }) => {
    before = field.writes();
    const place = { name: 'HTTP in', scheme: 'http', host: '127.0.0.1', port: 0 };
    const egressAllow = [field.hostPort];
    return {
      driver: createHttpDriver({ clock, log, dataDir, egressAllow, place }),
      field: async () => ({
        setPoint: () => field.setPoint(),
        writes: () => field.writes() - before,
        stop: async () => {},
      }),
    };
  },
  device: driverDevice(configs, [
    { id: '1', code: 'temperature' },
    {
      id: '2',
      code: 'setPoint',
      type: 'FLOAT',
      rw: 'READ_WRITE',
      configs: { writeUrl: '/set-point' },
    },
    { id: '3', code: 'state', type: 'STRING' },
  ]),
});
