import { describe, expect, it } from 'vitest';

import { originTimeOf } from '../../driver/lwm2m/observation/origin-time.ts';

const now = Date.parse('2026-01-05T08:00:00.000Z');
const DAY_MS = 86_400_000;

/** RFC 8428 4.5.3, and what is not believed. */
describe('the time of a value that its device gives', () => {
  it.each([
    ['none', null, now],
    ['0, which is now', 0, now],
    ['seconds ago', -1.5, now - 1_500],
    ['seconds ahead, which the platform judges', 2 ** 28 - 1, now + (2 ** 28 - 1) * 1_000],
    ['since the epoch', 1_767_600_000.25, 1_767_600_000_250],
    ['a month ago', -31 * 86_400, now - 31 * DAY_MS],
    ['beyond the last moment of a Date', 1e300, 8.64e15],
  ])('is taken: %s', (_what, timeS, originTime) => {
    expect(originTimeOf(timeS, now)).toEqual({ originTime });
  });

  it.each([
    ['the start of a clock that was never set', 2 ** 28, '1978-07-04T21:24:16.000Z'],
    ['longer ago than a month', -31 * 86_400 - 1, '2025-12-05T07:59:59.000Z'],
    ['before the first moment of a Date', -1e300, 'long ago'],
    ['no number', Number.NaN, 'long ago'],
  ])('is that of the arrival, in doubt, for %s', (_what, timeS, said) => {
    expect(originTimeOf(timeS, now)).toEqual({
      originTime: now,
      doubt: `The device says that the value is of ${said}; it is the time of reception`,
    });
  });
});
