import type { DriverDevice } from '../../../driver/sdk/driver.ts';
import type { Psk } from '../../../driver/simulator/secure-socket.ts';
import { systemClock as clock } from '../../../src/kernel/clock.ts';
import { driverDevice } from '../devices/driver-center.ts';
import { openLwm2mBench } from '../devices/lwm2m-bench.ts';
import { openToldDevice, type Said, type Told } from './told-device.ts';

type Point = Parameters<typeof driverDevice>[1][number];
type Registering = {
  points?: readonly Omit<Point, 'id'>[];
  configs?: Record<string, string>;
  query?: string;
  links?: string;
  psk?: Psk;
};

/** The LwM2M driver on its host with one device that says what a test makes it say. */
export async function openToldBench() {
  const bench = await openLwm2mBench();

  return {
    bench,
    close: () => bench.close(),
    /** The driver with its device, which has registered. */
    async registered(
      answer: (told: Told) => Said,
      { points = [], configs = {}, query, links, psk }: Registering = {},
    ) {
      const numbered = points.map((point, index) => ({ id: String(index + 1), ...point }));
      const known = driverDevice({ endpoint: 'urn:dev:1', ...configs }, numbered);
      const { driver, center } = await bench.serve([known]);
      const port = psk ? driver.securePort() : driver.port();
      const device = await openToldDevice(port, answer, psk ? { psk } : {});
      bench.cleanup(() => device.close());
      const code = await device.register(query, links);
      const pointOf = (name: string): DriverDevice['points'][number] => {
        const found = known.points.find((point) => point.code === name);
        if (!found) throw new Error(`no point ${name}`);
        return found;
      };
      const soon = () => clock.now() + 5_000;
      return {
        driver,
        center,
        known,
        device,
        code,
        status: () => driver.status(known).status,
        read: async (name: string) => (await driver.read(known, pointOf(name), soon())).rawValue,
        write: (name: string, value: string) => driver.write(known, pointOf(name), value, soon()),
        /** What an operation of a custom command answers. */
        call: async (command: Record<string, string>, params: Record<string, string> = {}) =>
          driver.call?.(known, { id: '7', code: 'do', configs: command }, params, soon()),
      };
    },
  };
}
export type ToldBench = Awaited<ReturnType<typeof openToldBench>>;

/** A request as one line: method, path, Content-Format and payload; TLV and CBOR in hexadecimal. */
export function lineOf({ method, url, format, payload }: Told): string {
  const isBinary = format === 11_542 || format === 112 || format === 60 || format === 42;
  return [method, url, format ?? '', payload.toString(isBinary ? 'hex' : 'utf8')].join(' ').trim();
}

/** Answers a read in this format alone, with these bytes. */
export const speaking =
  (format: number, payload: Buffer | string) =>
  ({ method, accept, format: given }: Told): Said => {
    if (method !== 'GET') return { code: given === format ? '2.04' : '4.15' };
    return accept === format || accept === null
      ? { code: '2.05', format, payload }
      : { code: '4.06' };
  };
