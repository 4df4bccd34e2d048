import type { DriverHost } from '../../../../driver/sdk/driver.ts';
import { startDriver } from '../../../../driver/sdk/host/host.ts';
import { openRabbitmqBus } from '../../../../src/bus/rabbitmq/bus.ts';
import { systemClock as clock } from '../../../../src/kernel/clock.ts';
import { createLog } from '../../../../src/kernel/process/log.ts';

/** The code of the driver; its device has a point that is read and two that it sends, as reports and as deliveries. */
export const SPOOLING = 'SpoolingDriver';
export const [READ, REPORTED, DELIVERED] = ['1', '2', '3'];

/**
 * A driver in a process of its own: `node driver.ts AMQP_URL PREFIX FOLDER`. It prints each value as
 * `value POINT TEXT` when the driver gives it to its host; one of a delivery once the host has taken it.
 */
async function main([url = '', prefix = '', dataDir = '']: readonly string[]): Promise<void> {
  const log = createLog('warn');
  const bus = await openRabbitmqBus({ url, prefix, clock, log });
  let host: DriverHost | undefined;
  let last = 0;
  const next = () => {
    last = Math.max(last + 1, clock.now());
    return { rawValue: String(last), originTime: last };
  };
  const print = (pointId: string, rawValue: string): void =>
    console.log(`value ${pointId} ${rawValue}`);
  await startDriver(
    {
      code: SPOOLING,
      name: SPOOLING,
      type: 'DRIVER_CLIENT',
      driverAttributes: [],
      pointAttributes: [],
      readCron: '0/1 * * * * ?',
      customCron: '0/1 * * * * ?',
      async start(given) {
        host = given;
      },
      status: () => ({ status: 'ONLINE', description: '' }),
      reportsOnly: (_, { id }) => id !== READ,
      async read(_, { id }) {
        const reading = next();
        print(id, reading.rawValue);
        return reading;
      },
      async custom() {
        for (const device of host?.devices().values() ?? [])
          for (const point of device.points) {
            const reading = next();
            const { rawValue } = reading;
            if (point.id === REPORTED) {
              host?.report(device, point, reading);
              print(point.id, rawValue);
            } else if (point.id === DELIVERED) {
              await host?.deliver([{ device, point, reading: { ...reading, id: rawValue } }]);
              print(point.id, rawValue);
            }
          }
      },
      write: async () => {},
      stop: async () => {},
    },
    { bus, clock, log, node: 'n1', dataDir, spoolBytes: 4 * 1024 ** 2 },
  );
  console.log('started');
}

if (import.meta.main) await main(process.argv.slice(2));
