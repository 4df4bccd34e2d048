import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { driverDevice } from '../../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../../support/devices/lwm2m-bench.ts';
import { openRawDevice, type RawDevice } from '../../support/lwm2m/raw-device.ts';
import { asleep, sleeper, writeOf } from '../../support/lwm2m/sleeper.ts';

const at = Math.floor(Date.now() / 1_000) - 60;
const pack = (records: unknown): Buffer => Buffer.from(JSON.stringify(records));

const muteable = driverDevice({ endpoint: 'urn:dev:1', awakeTime: '1' }, [
  {
    id: '4',
    code: 'mute',
    type: 'BOOLEAN',
    rw: 'WRITE_ONLY',
    configs: { objectId: '1', resourceId: '23' },
  },
]);

let bench: Lwm2mBench;
const devices: RawDevice[] = [];
beforeEach(async () => {
  bench = await openLwm2mBench();
});
afterEach(async () => {
  for (const device of devices.splice(0)) device.close();
  await bench.close();
});

async function registered() {
  const served = await bench.serve([sleeper]);
  const device = await openRawDevice(served.driver.port());
  devices.push(device);
  const answer = await device.post('/rd', {
    query: ['ep=urn:dev:1', 'lt=60', 'lwm2m=1.1', 'b=U', 'Q'],
    format: 40,
    payload: Buffer.from('</3303/0>,</3308/0>,</9999/0>'),
  });
  expect(answer.code).toBe('2.01');
  return { ...served, device };
}

it('int-306: values that the device sends are taken with their times, and wake what waits for it', async () => {
  const { center, simulated } = await asleep(bench);
  const { commandId } = await center.send(writeOf('23', 30_000));
  expect(await center.result(commandId)).toMatchObject({ status: 'WAITING' });
  const before = center.values.length;
  simulated.wake();
  await vi.waitFor(() => expect(center.values.length).toBeGreaterThan(before), 20_000);
  await vi.waitFor(
    () => expect(center.results.at(-1)).toMatchObject({ commandId, status: 'SUCCESS' }),
    20_000,
  );
});

it('int-307: a device whose Send is muted sends nothing more', async () => {
  const sent: string[] = [];
  const { driver } = await bench.serve([muteable]);
  const simulated = await bench.simulate(
    driver,
    (event) => void (event.event === 'sent' && sent.push(event.values)),
    { queue: { awakeMs: 1_000 }, lifetimeS: 4 },
  );
  await vi.waitFor(() => expect(sent.length).toBeGreaterThan(0), 20_000);
  const point = muteable.points[0];
  if (!point) throw new Error('no point');
  await driver.write(muteable, point, 'true', Date.now() + 5_000);
  const count = sent.length;
  simulated.wake();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(sent.length).toBe(count);
});

it('int-311: a Send is answered 2.04, and each value of a point is reported with its own time', async () => {
  const { center, device } = await registered();
  const values = [
    { bn: '/3303/0/5700', t: at, v: 21.5 },
    { t: at + 30, v: 22.5 },
    { bn: '/3308/0/5900', t: at, v: 20 },
    { bn: '/9999/0/1', t: at, v: 1 },
  ];
  const answer = await device.post('/dp', { format: 110, payload: pack(values) });
  expect(answer.code).toBe('2.04');
  const said = () =>
    center.values
      // When it woke it was read too, and this device cannot be.
      .filter(({ rawValue }) => rawValue !== '')
      .map(({ pointId, rawValue, originTime }) => `${pointId} ${rawValue} ${originTime}`);
  await vi.waitFor(
    () =>
      expect(said().toSorted((a, b) => a.localeCompare(b))).toEqual([
        `2 20 ${at * 1_000}`,
        `3 21.5 ${at * 1_000}`,
        `3 22.5 ${(at + 30) * 1_000}`,
      ]),
    20_000,
  );
});
