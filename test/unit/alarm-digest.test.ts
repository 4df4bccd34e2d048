import { expect, it } from 'vitest';

import { nextDigest } from '../../src/alarm/duty/group.ts';
import { nextTime } from '../../src/kernel/time-window.ts';

const at = (text: string): number => Date.parse(text);

it.each([
  ['Europe/Berlin', '07:00', '2026-01-05T05:59:59.500Z', '2026-01-05T06:00:00.000Z'],
  ['Europe/Berlin', '07:00', '2026-01-05T06:00:00.000Z', '2026-01-06T06:00:00.000Z'],
  // Clocks go forward on 29 March and back on 25 October.
  ['Europe/Berlin', '07:00', '2026-03-28T07:00:00.000Z', '2026-03-29T05:00:00.000Z'],
  ['Europe/Berlin', '07:00', '2026-10-24T06:00:00.000Z', '2026-10-25T06:00:00.000Z'],
  // Half an hour, on 4 October and on 5 April.
  ['Australia/Lord_Howe', '07:00', '2026-10-02T20:30:00.000Z', '2026-10-03T20:00:00.000Z'],
  ['Australia/Lord_Howe', '07:00', '2026-04-03T20:00:00.000Z', '2026-04-04T20:30:00.000Z'],
  // A time that comes twice is the first of them.
  ['Australia/Lord_Howe', '01:45', '2026-04-04T14:00:00.000Z', '2026-04-04T14:45:00.000Z'],
  ['Australia/Lord_Howe', '01:45', '2026-04-04T14:45:00.000Z', '2026-04-05T15:15:00.000Z'],
])('clocks in %s next say %s after %s at %s', (zone, time, now, next) => {
  expect(new Date(nextTime(zone, time, at(now))).toISOString()).toBe(next);
});

it.each([
  ['Europe/Berlin', '02:30', '2026-03-28T23:00:00.000Z', '2026-03-29T01:30:00.000Z'],
  ['Europe/Berlin', '02:30', '2026-03-29T00:40:00.000Z', '2026-03-29T01:30:00.000Z'],
  ['Australia/Lord_Howe', '02:15', '2026-10-03T14:00:00.000Z', '2026-10-03T15:45:00.000Z'],
  ['Australia/Lord_Howe', '02:15', '2026-10-03T15:20:00.000Z', '2026-10-03T15:45:00.000Z'],
])(
  'a time that clocks in %s skip, %s, is after %s as much later as they skip, at %s',
  (zone, time, now, next) => {
    expect(new Date(nextTime(zone, time, at(now))).toISOString()).toBe(next);
  },
);

it('a digest is due at the next of its times, in its own zone or in that of the tenant', () => {
  const now = at('2026-01-05T10:00:00.000Z');
  const levels: 'P2'[] = ['P2'];
  const times = { at: ['07:00', '19:30'], levels };
  const given = { timezone: 'Asia/Shanghai', now };
  expect(nextDigest(times, given)).toBe(at('2026-01-05T11:30:00.000Z'));
  expect(nextDigest({ ...times, timezone: 'UTC' }, given)).toBe(at('2026-01-05T19:30:00.000Z'));
  expect(nextDigest({ everyMs: 3_600_000, levels }, given)).toBe(at('2026-01-05T11:00:00.000Z'));
});
