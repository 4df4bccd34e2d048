import { beforeEach, describe, expect, it } from 'vitest';

import type { Driver } from '../../driver/sdk/driver.ts';
import { createVirtualDriver } from '../../driver/virtual/driver.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';

describe('the virtual driver', () => {
  let clock: TestClock;
  let driver: Driver;
  const device = driverDevice({}, [
    { id: '1', code: 'sine', configs: { signal: 'sine', min: '10', max: '20', periodS: '60' } },
    { id: '2', code: 'ramp', type: 'INT', configs: { signal: 'ramp', min: '0', max: '9' } },
    { id: '3', code: 'walk', configs: { signal: 'random-walk', min: '-5', max: '5' } },
    { id: '4', code: 'fixed', type: 'STRING', configs: { signal: 'constant', value: 'on' } },
    { id: '5', code: 'target', configs: { signal: 'setpoint', value: '20' }, rw: 'READ_WRITE' },
    {
      id: '6',
      code: 'room',
      configs: { signal: 'follow', follows: 'target', min: '15', periodS: '60' },
    },
    { id: '7', code: 'running', type: 'BOOLEAN', configs: { signal: 'sine' } },
    { id: '8', code: 'loop', configs: { signal: 'follow', follows: 'loop' } },
    { id: '9', code: 'wrong', configs: { signal: 'noise' } },
    { id: '10', code: 'water', configs: { signal: 'follow', follows: 'target', noise: '0.5' } },
  ]);
  const point = (code: string) => {
    const found = device.points.find((candidate) => candidate.code === code);
    if (!found) throw new Error(`no point ${code}`);
    return found;
  };
  const read = async (code: string) => (await driver.read(device, point(code), 0)).rawValue;
  const course = async (code: string) => {
    const values: number[] = [];
    for (let i = 0; i < 120; i += 1) {
      values.push(Number(await read(code)));
      await clock.advance(1000);
    }
    return values;
  };

  beforeEach(() => {
    clock = new TestClock();
    driver = createVirtualDriver({ clock });
  });

  it.each([
    ['sine', 10, 20],
    ['ramp', 0, 9],
    ['walk', -5, 5],
  ])('moves a %s between its bounds', async (code, min, max) => {
    const values = await course(code);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(min);
    expect(Math.max(...values)).toBeLessThanOrEqual(max);
    expect(new Set(values).size).toBeGreaterThan(5);
  });

  it('gives the same curve for the same clock and device, another for another device', async () => {
    const first = await course('walk');
    clock = new TestClock();
    driver = createVirtualDriver({ clock });
    expect(await course('walk')).toEqual(first);
    clock = new TestClock();
    driver = createVirtualDriver({ clock });
    const other = await driver.read({ ...device, id: '2' }, point('walk'), 0);
    expect(Number(other.rawValue)).not.toBe(first[0]);
  });

  it('fits its values to the type of the point', async () => {
    expect(await read('ramp')).toMatch(/^\d$/);
    expect(await read('running')).toMatch(/^(true|false)$/);
    expect(await read('fixed')).toBe('on');
  });

  it('lets a point approach the set-point it follows, and turn when that is written', async () => {
    expect(await read('room')).toBe('20');
    await driver.write(device, point('target'), '30', 0);
    expect(await read('target')).toBe('30');
    expect(Number(await read('room'))).toBeCloseTo(20, 2);
    await clock.advance(60_000);
    expect(Number(await read('room'))).toBeCloseTo(30 - 10 / Math.E, 2);
  });

  it('keeps a point that follows between its bounds', async () => {
    await driver.write(device, point('target'), '0', 0);
    await clock.advance(600_000);
    expect(await read('room')).toBe('15');
  });

  it('lets a value wander around its signal by the noise at most', async () => {
    const values = await course('water');
    expect(Math.min(...values)).toBeGreaterThanOrEqual(19.5);
    expect(Math.max(...values)).toBeLessThanOrEqual(20.5);
    expect(new Set(values).size).toBeGreaterThan(20);
  });

  it('refuses to write anything but a set-point', async () => {
    await expect(driver.write(device, point('sine'), '1', 0)).rejects.toMatchObject({
      code: 'DEVICE_REFUSED',
    });
  });

  it.each(['loop', 'wrong'])('names what is wrong with the configuration of %s', async (code) => {
    await expect(read(code)).rejects.toMatchObject({ code: 'POINT_CONFIG' });
  });
});
