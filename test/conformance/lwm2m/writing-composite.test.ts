import { afterEach, beforeEach, expect, it } from 'vitest';

import { lineOf, openToldBench, type ToldBench } from '../../support/lwm2m/told-bench.ts';
import { bytes } from '../../support/lwm2m/told-device.ts';

let world: ToldBench;
beforeEach(async () => {
  world = await openToldBench();
});
afterEach(() => world.close());

const links = (formats: string) => `</>;rt="oma.lwm2m";ct="${formats}",</1/0>,</16/0>`;
const command = { operation: 'write-composite', path: '/' };
const value = '{"1":{"0":{"1":60,"6":true}},"16":{"0":{"0":{"0":"aa","1":"bb"}}}}';

it('int-230: values of several objects in one composite write, in SenML-JSON and SenML-CBOR', async () => {
  const json = await world.registered(() => ({ code: '2.04' }), { links: links('110') });
  await json.call(command, { value });
  expect(json.device.heard().map(lineOf)).toEqual([
    'iPATCH / 110 [{"n":"/1/0/1","v":60},{"n":"/1/0/6","vb":true},{"n":"/16/0/0/0","vs":"aa"},{"n":"/16/0/0/1","vs":"bb"}]',
  ]);
  await world.close();
  world = await openToldBench();
  const cbor = await world.registered(() => ({ code: '2.04' }), { links: links('112') });
  await cbor.call(command, { value: '{"1":{"0":{"1":60,"6":true}}}' });
  const hex = bytes('82 a2 00 66 2f312f302f31 02 183c a2 00 66 2f312f302f36 04 f5').toString('hex');
  expect(cbor.device.heard().map(lineOf)).toEqual([`iPATCH / 112 ${hex}`]);
});

it('int-257: a composite write is done, or refused as a whole', async () => {
  const periods = { 2: 1, 3: 60 };
  const { device, call } = await world.registered(({ method, payload }) => {
    if (method === 'GET')
      return {
        code: '2.05',
        format: 110,
        payload: JSON.stringify(Object.entries(periods).map(([id, v]) => ({ n: `/1/0/${id}`, v }))),
      };
    if (payload.includes('"v":-1')) return { code: '4.00' };
    Object.assign(periods, { 2: 101, 3: 1010 });
    return { code: '2.04' };
  });
  const read = () => call({ operation: 'read', path: '/1/0' });
  const write = (given: string) => call(command, { value: given });
  await expect(write('{"1":{"0":{"2":101,"3":-1}}}')).rejects.toMatchObject({ outcome: 'FAILED' });
  expect(await read()).toEqual({ '/1/0/2': '1', '/1/0/3': '60' });
  await write('{"1":{"0":{"2":101,"3":1010}}}');
  expect(await read()).toEqual({ '/1/0/2': '101', '/1/0/3': '1010' });
  expect(device.told.filter(({ method }) => method === 'iPATCH')).toHaveLength(2);
});
