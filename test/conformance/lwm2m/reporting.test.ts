import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openToldBench, type ToldBench } from '../../support/lwm2m/told-bench.ts';
import type { Told } from '../../support/lwm2m/told-device.ts';

let world: ToldBench;
beforeEach(async () => {
  world = await openToldBench();
});
afterEach(() => world.close());

const points = [
  {
    code: 'temperature',
    configs: { objectId: '3303', resourceId: '5700', observe: 'true', pmin: '1', pmax: '60' },
  },
];
const answer = ({ method }: Told) =>
  method === 'GET' ? { code: '2.05', format: 0, payload: '20' } : { code: '2.04' };

async function observed() {
  const made = await world.registered(answer, { points });
  await vi.waitFor(() => expect(made.device.taken).toHaveLength(1), 20_000);
  const values = () => made.center.values.map(({ rawValue }) => rawValue);
  await vi.waitFor(() => expect(values()).toEqual(['20']), 20_000);
  return { ...made, values };
}

it('int-301: a resource is observed on its conditions, and its reports arrive', async () => {
  const { device, values } = await observed();
  device.say('21');
  device.say('22.5');
  await vi.waitFor(() => expect(values()).toEqual(['20', '21', '22.5']), 20_000);
  expect(device.heard().map(({ method, url, observe }) => `${method} ${url} ${observe}`)).toEqual([
    'PUT /3303/0/5700?pmin=1&pmax=60 null',
    'GET /3303/0/5700 0',
  ]);
});

it('int-302: a report through an observation that is over is answered with a reset', async () => {
  const { device, values } = await observed();
  const [former] = device.taken;
  await device.register();
  await vi.waitFor(() => expect(device.taken).toHaveLength(2), 20_000);
  expect(former?.isOver).toBe(false);
  device.say('99', former);
  await vi.waitFor(() => expect(former?.isOver).toBe(true), 20_000);
  expect(values()).not.toContain('99');
});

it('int-303: an observation that is not wanted any more is cancelled with Observe=1', async () => {
  const { device, center, known } = await observed();
  device.heard();
  const [point] = known.points;
  if (!point) throw new Error('no point');
  const configs = { ...point.configs, observe: 'false' };
  await center.announce({ ...known, points: [{ ...point, configs }] });
  const cancel = () => device.told.find(({ observe }) => observe === 1);
  await vi.waitFor(() => expect(cancel()?.url).toBe('/3303/0/5700'), 20_000);
});
