import { expect, it } from 'vitest';

import { nextDigest } from '../../src/alarm/duty/group.ts';
import { nextTime } from '../../src/kernel/time-window.ts';

const at = (text: string): number => Date.parse(text);

it.each([
  ['2026-01-05T05:59:59.500Z', '2026-01-05T06:00:00.000Z'],
  ['2026-01-05T06:00:00.000Z', '2026-01-06T06:00:00.000Z'],
  // Clocks go forward on 29 March and back on 25 October.
  ['2026-03-28T07:00:00.000Z', '2026-03-29T05:00:00.000Z'],
  ['2026-10-24T06:00:00.000Z', '2026-10-25T06:00:00.000Z'],
])('after %s clocks in Berlin next say 07:00 at %s', (now, next) => {
  expect(new Date(nextTime('Europe/Berlin', '07:00', at(now))).toISOString()).toBe(next);
});

it('a digest is due at the next of its times, in its own zone or in that of the tenant', () => {
  const now = at('2026-01-05T10:00:00.000Z');
  const levels: 'P2'[] = ['P2'];
  const times = { at: ['07:00', '19:30'], levels };
  const given = { timezone: 'Asia/Shanghai', now };
  expect(nextDigest(times, given)).toBe(at('2026-01-05T11:30:00.000Z'));
  expect(nextDigest({ ...times, timezone: 'UTC' }, given)).toBe(at('2026-01-05T19:30:00.000Z'));
  expect(nextDigest({ everyMs: 3_600_000, levels }, given)).toBe(at('2026-01-05T11:00:00.000Z'));
});
