import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { systemClock as clock } from '../../src/kernel/clock.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openOldDevice } from '../support/lwm2m/old-device.ts';

const at = (objectId: number, resourceId: number, more: Record<string, string> = {}) => ({
  objectId: String(objectId),
  resourceId: String(resourceId),
  ...more,
});
const points = [
  { id: '1', code: 'setPoint', type: 'FLOAT', rw: 'READ_WRITE', configs: at(3308, 5900) },
  { id: '2', code: 'maker', type: 'STRING', configs: at(3, 0) },
  { id: '3', code: 'battery', type: 'INT', configs: at(3, 9) },
  { id: '4', code: 'source', type: 'INT', configs: at(3, 6, { resourceInstanceId: '1' }) },
  { id: '5', code: 'reboot', type: 'BOOLEAN', rw: 'WRITE_ONLY', configs: at(3, 4) },
  { id: '6', code: 'missing', type: 'INT', configs: at(3, 77) },
] as const;
const device = driverDevice({ endpoint: 'urn:old:1' }, points);

/** A second simulated device: npm `coap` and TLV in literal bytes, nothing of ours. */
describe('a device of LwM2M 1.0 that speaks TLV whatever it is asked for', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  async function registered(known = device) {
    const { driver, center } = await bench.serve([known]);
    const old = await openOldDevice(driver.port(), 'urn:old:1');
    bench.cleanup(() => old.close());
    expect(await old.register()).toBe('2.01');
    await bench.reaches(driver, known, 'ONLINE');
    const pointOf = (code: string) => {
      const found = known.points.find((point) => point.code === code);
      if (!found) throw new Error(`no point ${code}`);
      return found;
    };
    const soon = () => clock.now() + 5_000;
    return {
      driver,
      center,
      old,
      read: async (code: string) => (await driver.read(known, pointOf(code), soon())).rawValue,
      write: (code: string, value: string) => driver.write(known, pointOf(code), value, soon()),
      call: (configs: Record<string, string>) =>
        driver.call?.(known, { id: '7', code: 'do', configs }, {}, soon()),
    };
  }

  it('registers without a version, updates and takes its leave', async () => {
    const { driver, old } = await registered();
    expect(driver.status(device).description).toContain('LwM2M 1.0');
    expect(await old.update()).toBe('2.04');
    expect(await old.deregister()).toBe('2.02');
    expect(driver.status(device).status).toBe('OFFLINE');
  });

  it('is read, a single instance of a multiple resource and an object instance too', async () => {
    const { read, call } = await registered();
    expect([await read('maker'), await read('battery'), await read('setPoint')]).toEqual([
      'Old Works',
      '87',
      '20',
    ]);
    await expect(read('missing')).rejects.toMatchObject({ message: 'the device answered 4.04' });
    await expect(call({ operation: 'read', path: '/3/0/6' })).resolves.toEqual({
      '/3/0/6/0': '0x01',
      '/3/0/6/1': '5',
    });
    await expect(call({ operation: 'read', path: '/3/0' })).resolves.toEqual({
      '/3/0/0': 'Old Works',
      '/3/0/9': '87',
    });
  });

  it.each(['21.5', '22.25', '-3.5'])(
    'is written %s in TLV, and reads back the same',
    async (value) => {
      const { read, write, old } = await registered();
      await write('setPoint', value);
      expect([old.state.setPoint, old.state.writes]).toEqual([value, 1]);
      expect(await read('setPoint')).toBe(value);
    },
  );

  it('is rebooted without a byte of payload', async () => {
    const { write, old } = await registered();
    await write('reboot', 'true');
    expect(old.state.reboots).toBe(1);
  });

  it('reports what is turned at it', async () => {
    const [setPoint, ...others] = device.points;
    if (!setPoint) throw new Error('no point');
    const configs = { ...setPoint.configs, observe: 'true' };
    const { center, old } = await registered({
      ...device,
      points: [{ ...setPoint, configs }, ...others],
    });
    await vi.waitFor(() => expect(old.watching()).toBe(1), 20_000);
    const values = () => center.values.map(({ rawValue }) => rawValue);
    await vi.waitFor(() => expect(values()).toEqual(['20']), 20_000);
    old.turn('22.25');
    old.turn('-3.5');
    await vi.waitFor(() => expect(values()).toEqual(['20', '22.25', '-3.5']), 20_000);
  });
});
