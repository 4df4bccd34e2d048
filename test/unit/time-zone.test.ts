import { describe, expect, it } from 'vitest';

import { inZone, TimeZone } from '../../src/kernel/sentence/time-zone.ts';

describe('a time zone', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['UTC', 'UTC'],
    ['America/Argentina/Ushuaia', 'America/Argentina/Ushuaia'],
  ])('%s is taken as %s', (given, kept) => expect(TimeZone.parse(given)).toBe(kept));

  it.each(['', '+01:00', 'Berlin', 'Europe/Atlantis', 'Europe/Berlin\0', '../etc', 'x'.repeat(65)])(
    '%j is none',
    (given) => expect(TimeZone.safeParse(given).success).toBe(false),
  );
});

describe('a moment', () => {
  it.each([
    ['2026-11-22T03:00:59.999Z', 'UTC', '2026-11-22T03:00:59Z'],
    ['2026-11-22T03:00:59.999Z', 'Europe/Berlin', '2026-11-22T04:00:59+01:00'],
    ['2026-07-22T03:00:59Z', 'Europe/Berlin', '2026-07-22T05:00:59+02:00'],
    ['2026-11-22T00:10:00Z', 'America/St_Johns', '2026-11-21T20:40:00-03:30'],
    ['1969-12-31T23:59:59.500Z', 'Asia/Kathmandu', '1970-01-01T05:29:59+05:30'],
  ])('%s in %s is %s', (at, zone, written) => {
    expect(inZone(at, zone)).toBe(written);
    expect(inZone(new Date(at), zone)).toBe(written);
    expect(inZone(Date.parse(at), zone)).toBe(written);
  });

  it('tells apart the hour that comes twice', () => {
    const before = Date.parse('2026-10-25T00:30:00Z');
    expect([before, before + 3_600_000].map((at) => inZone(at, 'Europe/Berlin'))).toEqual([
      '2026-10-25T02:30:00+02:00',
      '2026-10-25T02:30:00+01:00',
    ]);
  });
});
