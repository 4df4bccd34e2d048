import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Moment } from '../../src/kernel/input/moment.ts';

const SERVER = process.env['TZ'];
beforeEach(() => {
  process.env['TZ'] = 'Asia/Tokyo';
});
afterEach(() => {
  if (SERVER === undefined) delete process.env['TZ'];
  else process.env['TZ'] = SERVER;
});

describe('a time in a request', () => {
  it.each([
    ['2026-03-01T08:30:00Z', '2026-03-01T08:30:00.000Z'],
    ['2026-03-01T08:30:00.123456+02:00', '2026-03-01T06:30:00.123Z'],
    ['2026-03-01T08:30', '2026-03-01T08:30:00.000Z'],
    ['2026-03-01 08:30:15', '2026-03-01T08:30:15.000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    [Date.UTC(2026, 2, 1), '2026-03-01T00:00:00.000Z'],
  ])('is in UTC without an offset, and a date alone its first moment: %j', (given, at) => {
    expect(new Date(Moment.parse(given)).toISOString()).toBe(at);
  });

  it.each(['2026-02-30', '2026-02-29T08:30Z', '2026-13-01', '2026-03-01T25:00Z', '1969-12-31', ''])(
    'is none: %j',
    (given) => {
      expect(Moment.safeParse(given).error?.issues[0]?.message).toBe(
        'expected a time such as 2026-03-01T08:30:00Z',
      );
    },
  );
});
