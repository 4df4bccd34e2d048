import { expect, it } from 'vitest';

import { spellingsOf } from '../../src/manager/find/unit.ts';

it.each([
  ['m3/h', 'm³/h'],
  ['m^3 / h', 'm³/h'],
  ['m³/h', 'm3/h'],
  ['W/m2', 'W/m²'],
  ['kW*h', 'kW·h'],
  ['C', '°C'],
  ['℃', '°C'],
  ['degC', '°C'],
  ['Celsius', '°C'],
  ['rpm', '1/min'],
  ['percent', '%'],
  ['us/cm', 'µS/cm'],
  ['μS/cm', 'µS/cm'],
  ['KPA', 'kPa'],
])('%s finds points in %s', (asked, stored) => {
  expect(spellingsOf(asked)).toContain(stored.toLowerCase());
});

it.each([
  ['m', 'm²'],
  ['bar', 'mbar'],
  ['F', '°C'],
])('%s finds none in %s', (asked, stored) => {
  expect(spellingsOf(asked)).not.toContain(stored.toLowerCase());
});
