import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { driverDevice } from '../support/devices/driver-center.ts';
import { type ObservingDriver, openObservingDriver } from '../support/observe/observing-driver.ts';
import { until } from '../support/world/until.ts';

const key = '000102030405060708090a0b0c0d0e0f';
const psk = { identity: 'meter', key };
const path = { objectId: '3308', resourceId: '5900' };
const deviceWith = (configs: Record<string, string> = {}, own: Record<string, string> = {}) =>
  driverDevice({ endpoint: 'urn:dev:1', ...own }, [
    { id: '2', code: 'setPoint', configs: { ...path, observe: 'true', ...configs } },
  ]);
const secure = { securityMode: 'PSK', pskIdentity: 'meter', pskKey: key };

let world: ObservingDriver;
beforeEach(async () => {
  world = await openObservingDriver();
});
afterEach(() => world.close());

/** A registered device whose point is observed. */
async function observed({ isSecure = false, configs = {} } = {}) {
  const known = deviceWith(configs, isSecure ? secure : {});
  world.has(known);
  const device = await world.device(isSecure ? psk : undefined);
  expect(await device.register('urn:dev:1')).toBe('2.01');
  await world.looks(() => expect(device.taken.length).toBe(1));
  await until(() => expect(world.values()).toEqual(['20']));
  const [point] = known.points;
  if (!point) throw new Error('no point');
  return { known, device, sinceMs: () => world.driver().reportedMs?.(known, point) };
}

describe('an observation that was lost', () => {
  it('by silence for longer than pmax begins anew', async () => {
    const { device, sinceMs } = await observed({ configs: { pmax: '60' } });
    await world.clock.advance(74_000);
    await world.driver().custom?.();
    expect(sinceMs()).toBeGreaterThanOrEqual(74_000);
    await world.clock.advance(1_001);
    expect(sinceMs()).toBeNull();
    await world.looks(() => expect(device.taken.length).toBe(2));
    device.say('21');
    await until(() => expect(world.values()).toEqual(['20', '20', '21']));
    // The device learns that the first one is no more.
    const [first] = device.taken;
    device.say('22', first);
    await until(() => expect(first?.isOver).toBe(true));
    expect(world.values()).toEqual(['20', '20', '21']);
  });

  it('stays alive with every report', async () => {
    const { device, sinceMs } = await observed({ configs: { pmax: '60' } });
    for (const value of ['21', '22', '23']) {
      await world.clock.advance(60_000);
      device.say(value);
      await until(() => expect(world.values().at(-1)).toBe(value));
      await world.driver().custom?.();
    }
    expect([device.taken.length, sinceMs()]).toEqual([1, 0]);
  });

  it('by an error of the device begins anew', async () => {
    const { device } = await observed();
    const [first] = device.taken;
    if (first) first.stream.statusCode = '5.00';
    device.say('broken');
    await world.looks(() => expect(device.taken.length).toBe(2));
    expect(world.values()).toEqual(['20', 'broken']);
  });

  it.each([
    ['in clear', false],
    ['over DTLS, whose session goes on', true],
  ])(
    'by a restart of the driver begins anew, %s, without a word of the device',
    async (_name, isSecure) => {
      const { known, device } = await observed({ isSecure });
      await world.restart();
      expect(world.driver().status(known).status).toBe('ONLINE');
      await world.looks(() => expect(device.taken.length).toBe(2));
      device.say('21');
      await until(() => expect(world.values().at(-1)).toBe('21'));
    },
  );

  it('by another port of the device begins anew with its update', async () => {
    const { device } = await observed();
    const moved = await world.device();
    expect(await moved.update(device.location)).toBe('2.04');
    await world.looks(() => expect(moved.taken.length).toBe(1));
    moved.say('21');
    await until(() => expect(world.values().at(-1)).toBe('21'));
  });

  it('by another session of DTLS begins anew with the update in it', async () => {
    const { device } = await observed({ isSecure: true });
    device.renew();
    expect(await device.update()).toBe('2.04');
    await world.looks(() => expect(device.taken.length).toBe(2));
    device.say('21');
    await until(() => expect(world.values().at(-1)).toBe('21'));
  });

  it('by a new registration begins anew', async () => {
    const { device } = await observed();
    expect(await device.register('urn:dev:1')).toBe('2.01');
    await world.looks(() => expect(device.taken.length).toBe(2));
  });

  it('to another copy of the driver is over at this one', async () => {
    const { known, device, sinceMs } = await observed();
    world.driver().taken?.(known);
    expect(sinceMs()).toBeNull();
    device.say('21');
    await until(() => expect(device.taken[0]?.isOver).toBe(true));
    expect(world.values()).toEqual(['20']);
  });
});

describe('an observation that is no longer wanted', () => {
  it.each([
    ['the point is not to be observed', { observe: 'false' }, 'GET /3308/0/5900 1'],
    ['the point is another resource', { resourceId: '5901' }, 'GET /3308/0/5901 0'],
  ])('ends when %s', async (_why, configs, last) => {
    const { device } = await observed();
    world.has(deviceWith(configs));
    device.say('21');
    device.value = '30';
    await world.looks(() => expect(device.asked.join()).toContain(last));
    expect(world.values()).not.toContain('21');
  });

  it('ends when the device is disabled, and begins when it is enabled', async () => {
    const { known, device } = await observed();
    world.has({ ...known, enabled: false });
    await world.looks(() => expect(device.asked.at(-1)).toBe('GET /3308/0/5900 1'));
    world.has(deviceWith());
    await world.looks(() => expect(device.taken.length).toBe(2));
  });

  it('ends when the device is removed', async () => {
    const { known, device } = await observed();
    world.remove(known);
    device.say('21');
    await until(() => expect(device.taken[0]?.isOver).toBe(true));
    expect(world.values()).toEqual(['20']);
  });

  it('takes the conditions back that the point no longer has', async () => {
    const { device } = await observed({ configs: { gt: '30', pmin: '2' } });
    const uri = 'PUT /3308/0/5900';
    expect(device.asked[0]).toBe(`${uri}?pmin=2&pmax=30&gt=30`);
    world.has(deviceWith({ pmin: '2' }));
    await world.looks(() => expect(device.taken.length).toBe(2));
    expect(device.asked.slice(2, 4)).toEqual([`${uri}?gt`, `${uri}?pmin=2&pmax=30`]);
  });
});

describe('a device', () => {
  it('that refuses is asked ever more rarely, and its point is read meanwhile', async () => {
    world.has(deviceWith());
    const device = await world.device();
    device.refusal = '4.05';
    expect(await device.register('urn:dev:1')).toBe('2.01');
    const asks = () => device.asked.filter((text) => text.endsWith(' 0')).length;
    await world.looks(() => expect(asks()).toBe(1));
    const counts: number[] = [];
    for (let minute = 0; minute < 12; minute++) {
      for (let sweep = 0; sweep < 12; sweep++) {
        await world.clock.advance(5_000);
        await world.driver().custom?.();
      }
      counts.push(asks());
    }
    expect(counts.at(-1)).toBeLessThan(10);
    expect(counts.at(-1)).toBeGreaterThan(5);
    expect(world.values()).toEqual([]);
  });

  it('that was silent is asked at once when it is heard', async () => {
    world.has(deviceWith());
    const device = await world.device();
    device.isSilent = true;
    expect(await device.register('urn:dev:1')).toBe('2.01');
    await world.looks(() => expect(device.asked.length).toBe(1));
    // Ever longer pauses: the next one is minutes away.
    for (let times = 0; times < 40; times++) {
      await world.clock.advance(5_000);
      await world.driver().custom?.();
    }
    const before = device.asked.length;
    device.isSilent = false;
    expect(await device.update()).toBe('2.04');
    await world.clock.advance(200);
    await until(() => expect(device.taken.length).toBe(1));
    expect(before).toBeGreaterThan(1);
  });

  it('that reports in a format that is not spoken has its point told as invalid', async () => {
    const { device } = await observed();
    device.taken[0]?.stream.setOption('Content-Format', 50);
    device.say('{}');
    await until(() => expect(world.reported.length).toBe(2));
    expect(world.reported[1]).toMatchObject({
      rawValue: '',
      invalid: true,
      issue: 'Content-Format 50 is not spoken',
    });
  });

  it('that reports values with times of their own has them told with these', async () => {
    const { device } = await observed();
    device.format = 110;
    const bt = Date.parse('2026-01-05T07:00:00.000Z') / 1_000;
    device.value = JSON.stringify([
      { bn: '/3308/0/5900', bt, v: 18.5 },
      { v: 19, t: 600 },
    ]);
    await device.register('urn:dev:1');
    await world.looks(() => expect(world.reported.length).toBe(3));
    expect(world.reported.slice(1)).toEqual([
      { point: 'setPoint', rawValue: '18.5', originTime: bt * 1_000 },
      { point: 'setPoint', rawValue: '19', originTime: bt * 1_000 + 600_000 },
    ]);
    device.say('[{"n":"/3308/0/5900","v":20,"t":-5},{"n":"/3308/0/5900","v":21}]');
    await until(() => expect(world.reported.length).toBe(5));
    const now = world.clock.now();
    expect(world.reported.slice(3).map(({ originTime }) => now - originTime)).toEqual([5_000, 0]);
  });

  it('with a clock that was never set has its values told at their arrival, in doubt', async () => {
    const { device } = await observed();
    device.format = 110;
    await device.register('urn:dev:1');
    device.value = '[{"n":"/3308/0/5900","v":20,"t":315532800}]';
    await world.looks(() => expect(world.reported.length).toBe(2));
    expect(world.reported[1]).toEqual({
      point: 'setPoint',
      rawValue: '20',
      originTime: world.clock.now(),
      doubt: expect.stringContaining('1980-01-01'),
    });
  });
});
