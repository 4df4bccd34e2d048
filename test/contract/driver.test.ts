import { drivers } from '../../driver/index.ts';
import { startDevice } from '../../driver/simulator/device.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { driverSuite, type Member } from '../support/contract/driver-suite.ts';
import { driverDevice } from '../support/devices/driver-center.ts';

const log = createLog('silent');

const resource = (objectId: string, resourceId: string) => ({ objectId, resourceId });

/** Every driver passes the same suite; a new one is a row here. */
const members: Record<keyof typeof drivers, Member> = {
  'driver-virtual': {
    create: (context) => ({
      driver: drivers['driver-virtual'].create(context),
      // No hardware: the read-back is all there is to see.
      field: async () => ({ setPoint: () => null, writes: () => null, stop: async () => {} }),
    }),
    device: driverDevice({}, [
      {
        id: '1',
        code: 'temperature',
        configs: { signal: 'follow', follows: 'setPoint', min: '18' },
      },
      {
        id: '2',
        code: 'setPoint',
        type: 'FLOAT',
        rw: 'READ_WRITE',
        configs: { signal: 'setpoint' },
      },
      { id: '3', code: 'state', type: 'STRING', configs: { signal: 'constant', value: 'fine' } },
    ]),
  },
  'driver-lwm2m': {
    create(context) {
      const driver = drivers['driver-lwm2m'].create(context);
      return {
        driver,
        async field() {
          const [server = { host: '', port: 0 }] = driver.listening?.() ?? [];
          const device = await startDevice({ endpoint: 'dev-1', server, lifetimeS: 3600, log });
          return {
            setPoint: () => device.setPoint(),
            writes: () => device.requests.writes,
            stop: () => device.stop(),
          };
        },
      };
    },
    device: driverDevice({ endpoint: 'dev-1' }, [
      { id: '1', code: 'temperature', configs: resource('3303', '5700') },
      {
        id: '2',
        code: 'setPoint',
        type: 'FLOAT',
        rw: 'READ_WRITE',
        configs: resource('3308', '5900'),
      },
      { id: '3', code: 'state', type: 'STRING', configs: resource('3', '0') },
    ]),
  },
};

for (const [name, member] of Object.entries(members)) driverSuite(name, member);
