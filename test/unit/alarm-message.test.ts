import { describe, expect, it } from 'vitest';

import { firingOf } from '../../src/alarm/alarm/firing.ts';
import { lengthWords } from '../../src/alarm/kind/duration.ts';
import { writingOf } from '../../src/alarm/message/alarm-link.ts';
import { firedText } from '../../src/alarm/message/episode-text.ts';
import { presentText } from '../../src/alarm/message/present-text.ts';
import { TestClock } from '../support/world/clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('what a message says of a value', () => {
  const said = (condition: object, values: object, more: object = {}) => {
    const firing = firingOf({
      ruleName: 'rule',
      condition,
      window: {},
      recovery: {},
      values,
      unit: '°C',
      ...more,
    });
    if (!firing) throw new Error('no rule');
    return firedText(firing, { pointName: 'temperature', isNow: true });
  };
  const field = 'calValue';

  it.each([
    [{ operator: '<', threshold: -18 }, '-24', 'is -24 °C, below -18 °C by 6 °C'],
    [{ operator: '>', threshold: -18 }, '-12', 'is -12 °C, above -18 °C by 6 °C'],
    [{ operator: '>=', threshold: 80 }, '80', 'is 80 °C, at or above 80 °C'],
    [{ operator: '<=', threshold: 0.3 }, '0.1', 'is 0.1 °C, at or below 0.3 °C by 0.2 °C'],
    [{ operator: '==', threshold: 1 }, '1', 'is 1 °C'],
    [{ operator: '!=', threshold: 1 }, '2', 'is 2 °C, not 1 °C'],
    [{ operator: 'between', low: 2, high: 8 }, '5', 'is 5 °C, within 2 to 8 °C'],
    [{ operator: 'outside', low: 2, high: 8 }, '1', 'is 1 °C, outside of 2 to 8 °C by 1 °C'],
    [{ operator: 'outside', low: 2, high: 8 }, '11', 'is 11 °C, outside of 2 to 8 °C by 3 °C'],
    [{ operator: '>', threshold: 80, unit: 'K' }, '84', 'is 84 K, above 80 K by 4 K'],
    [{ operator: 'exists' }, '5', 'is 5 °C'],
  ])('%j of %s: %s', (condition, calValue, words) => {
    expect(said({ field, ...condition }, { calValue })).toBe(`“temperature” ${words}`);
  });

  it('has no unit, and no name of the point, for other fields', () => {
    expect(said({ field: 'p_max', operator: '>', threshold: 3 }, { p_max: 4 })).toBe(
      'p_max is 4, above 3 by 1',
    );
    expect(said({ field: 'status', operator: 'eq', expected: 'x' }, { status: 'x” over' })).toBe(
      "status is “x' over”",
    );
    expect(said({ field: 'status', operator: 'ne', expected: 'on' }, { status: 'off' })).toBe(
      'status is “off”, not “on”',
    );
    expect(said({ field: 'status', operator: 'missing' }, {})).toBe('status is missing');
    expect(said({ field: 'rawValue', operator: '>', threshold: 3 }, { rawValue: '4' })).toBe(
      '“temperature” is 4, above 3 by 1',
    );
  });

  it('says for how long it held, and what was not sent', () => {
    const window = { duration: 'PT5M' };
    expect(said({ field, operator: '>', threshold: 80 }, { calValue: '84' }, { window })).toBe(
      '“temperature” is 84 °C, above 80 °C by 4 °C, held for 5 min',
    );
    expect(said({ operator: 'nodata' }, {}, { window })).toBe(
      '“temperature” sent no value for 5 min',
    );
  });
});

it.each([
  [400, '0 s'],
  [45_000, '45 s'],
  [MINUTE, '1 min'],
  [2 * HOUR + 10 * MINUTE + 30_000, '2 h 10 min'],
  [49 * HOUR, '2 d 1 h'],
  [48 * HOUR + MINUTE, '2 d'],
])('%i ms are %s', (ms, words) => {
  expect(lengthWords(ms)).toBe(words);
});

it.each([
  ['https://plant.example.org', 'https://plant.example.org/console'],
  ['http://10.0.0.5:8600', 'http://10.0.0.5:8600/console'],
  ['http://127.0.0.1:8600', null],
  ['http://localhost:8600', null],
  ['http://[::1]:8600', null],
  ['http://[::]:8600', null],
])('of the base address %s messages lead to %s', (baseUrl, consoleUrl) => {
  const app = { clock: new TestClock(), config: { baseUrl } };
  expect(writingOf(app)).toMatchObject({ consoleUrl });
});

describe('what a point has now', () => {
  const good = {
    calValue: '96',
    unit: '°C',
    hasLatestValue: true,
    quality: 'GOOD',
    ageS: 12,
    stale: false,
    valueIssue: null,
  } as const;
  const late = { ...good, quality: 'UNCERTAIN', ageS: 4_200, stale: true } as const;

  it.each([
    ['a value', good, '96 °C, measured 12 s ago'],
    ['a text', { ...good, calValue: 'open', unit: '' }, '“open”, measured 12 s ago'],
    ['nothing', { ...good, hasLatestValue: false }, 'unknown, it has no value'],
    ['a stale value', late, 'unknown: the last value, 96 °C, measured 1 h 10 min ago, is stale'],
    [
      'a bad value',
      { ...good, quality: 'BAD' as const },
      'unknown: the last value, 96 °C, measured 12 s ago, is bad',
    ],
    [
      'a value with an issue',
      { ...good, valueIssue: 'The value is no number' },
      'unknown: the last value, 96 °C, measured 12 s ago, is uncertain',
    ],
  ])('that has %s is said', (_what, latest, words) => {
    expect(presentText(latest)).toBe(words);
  });

  it('of a point that is gone is unknown', () => {
    expect(presentText(undefined)).toBe('unknown, it has no value');
  });
});
