import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openToldBench, type ToldBench } from '../../support/lwm2m/told-bench.ts';
import type { Said, Told } from '../../support/lwm2m/told-device.ts';

let world: ToldBench;
beforeEach(async () => {
  world = await openToldBench();
});
afterEach(() => world.close());

const observed = (objectInstanceId: string) => ({
  objectId: '3308',
  objectInstanceId,
  resourceId: '5900',
  observe: 'true',
  pmin: '1',
  pmax: '60',
});
const points = [
  { code: 'first', configs: observed('0') },
  { code: 'second', configs: observed('1') },
];
const NAMES = '[{"n":"/3308/0/5900"},{"n":"/3308/1/5900"}]';
const pack = (values: Record<string, number>): string =>
  JSON.stringify(
    Object.entries(values).map(([instance, v]) => ({ n: `/3308/${instance}/5900`, v })),
  );
const answering =
  (values: Record<string, number>) =>
  ({ method }: Told): Said =>
    method === 'FETCH' ? { code: '2.05', format: 110, payload: pack(values) } : { code: '2.04' };

/** A device whose points are asked for in one observation, with what it reported so far. */
async function reporting(values: Record<string, number>) {
  const configs = { observeComposite: 'true' };
  const made = await world.registered(answering(values), { points, configs });
  await vi.waitFor(() => expect(made.device.taken).toHaveLength(1), 20_000);
  const reported = () =>
    made.center.values.map(({ pointId, rawValue }) => `${pointId}: ${rawValue}`);
  await vi.waitFor(() => expect(reported()).toHaveLength(Object.keys(values).length), 20_000);
  return { ...made, reported };
}

it('int-304: several resources are observed in one request, each on its conditions', async () => {
  const { device, reported } = await reporting({ 0: 20, 1: 30 });
  expect(reported()).toEqual(['1: 20', '2: 30']);
  expect(
    device
      .heard()
      .map(({ method, url, format, observe, payload }) =>
        [method, url, format ?? '', observe ?? '', payload.toString()].join(' ').trim(),
      ),
  ).toEqual([
    'PUT /3308/0/5900?pmin=1&pmax=60',
    'PUT /3308/1/5900?pmin=1&pmax=60',
    `FETCH / 110 0 ${NAMES}`,
  ]);
});

it('int-305: an observation of several resources is cancelled with Observe=1 and their paths', async () => {
  const { device, center, known } = await reporting({ 0: 20, 1: 30 });
  device.heard();
  const unobserved = known.points.map((point) => ({
    ...point,
    configs: { ...point.configs, observe: 'false' },
  }));
  await center.announce({ ...known, points: unobserved });
  const cancel = () => device.told.find(({ observe }) => observe === 1);
  await vi.waitFor(() => expect(cancel()).toMatchObject({ method: 'FETCH', url: '/' }), 20_000);
  expect(cancel()?.payload.toString()).toBe(NAMES);
});

it('int-308: an object instance that is created later comes with the same observation', async () => {
  const { device, reported } = await reporting({ 0: 20 });
  device.say(pack({ 0: 20, 1: 31 }));
  await vi.waitFor(() => expect(reported()).toEqual(['1: 20', '1: 20', '2: 31']), 20_000);
  expect(device.told.filter(({ observe }) => observe === 0)).toHaveLength(1);
});

it('int-309: an object instance that is deleted leaves the others observed', async () => {
  const { device, reported } = await reporting({ 0: 20, 1: 30 });
  device.say(pack({ 0: 21 }));
  await vi.waitFor(() => expect(reported().slice(2)).toEqual(['1: 21']), 20_000);
  device.say(pack({ 0: 22 }));
  await vi.waitFor(() => expect(reported().slice(2)).toEqual(['1: 21', '1: 22']), 20_000);
  expect(device.told.filter(({ observe }) => observe === 0)).toHaveLength(1);
});

it('int-310: a changed value is reported with those of all resources of the observation', async () => {
  const { device, reported } = await reporting({ 0: 20, 1: 30 });
  device.say(pack({ 0: 20, 1: 35 }));
  device.say(pack({ 0: 26, 1: 35 }));
  await vi.waitFor(
    () => expect(reported().slice(2)).toEqual(['1: 20', '2: 35', '1: 26', '2: 35']),
    20_000,
  );
});
