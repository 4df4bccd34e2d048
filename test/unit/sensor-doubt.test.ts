import { describe, expect, it } from 'vitest';

import { sensorDoubtOf } from '../../src/alarm/explain/sensor-doubt.ts';

const over = (mode: string) => ({ mode, duration: 'PT1H' });
const field = 'value';

describe('what a rule doubts of a sensor', () => {
  it.each([
    ['STUCK', { condition: { field, operator: '==', threshold: 0 }, window: over('DELTA') }],
    [
      'STUCK',
      { condition: { field, operator: 'between', low: -1, high: 1 }, window: over('RATE') },
    ],
    ['DRIFTING', { condition: { field, operator: '>', threshold: 2 }, window: over('RATE') }],
    [
      'DRIFTING',
      { condition: { field, operator: 'outside', low: -1, high: 1 }, window: over('DELTA') },
    ],
    ['DIFFERING', { condition: { formula: 'abs(value - "b")', operator: '>', threshold: 2 } }],
    ['DIFFERING', { condition: { formula: 'value - b', operator: '<', threshold: 2 } }],
    [null, { condition: { formula: 'value * b', operator: '>', threshold: 2 } }],
    [null, { condition: { formula: 'abs(value - 20)', operator: '>', threshold: 2 } }],
    [null, { condition: { field, operator: '>', threshold: 80 } }],
    [null, { condition: { field, operator: '>', threshold: 80 }, window: over('MEAN') }],
    [null, {}],
  ])('is %s of %j', (doubt, ext) => {
    expect(sensorDoubtOf({ window: { mode: 'LAST' }, ...ext })).toBe(doubt);
  });
});
