import { expect, it } from 'vitest';

import { nearest } from '../../src/kernel/sentence/nearest.ts';
import { tools } from '../../tools/index.ts';

const names = tools.map(({ name }) => name);

it.each([
  ['searchDevice', 'searchDevices'],
  ['listDevices', 'searchDevices'],
  ['get_devices', 'searchDevices'],
  ['getHistory', 'getPointValueHistory'],
  ['cancelAction', 'withdrawAction'],
  ['writeValue', 'writePointValue'],
])('%s is near %s', (given, name) => expect(nearest(given, names)).toContain(name));

it('is nothing for what is like no name', () => {
  expect(nearest('xyzzy', names)).toEqual([]);
  expect(nearest('', names)).toEqual([]);
  expect(nearest('x'.repeat(100_000), names)).toEqual([]);
});
