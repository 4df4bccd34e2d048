import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { lenient } from '../../tools/shape/lenient.ts';
import { momentOf, Since } from '../../tools/shape/window.ts';

const Input = z.strictObject({
  value: z.string(),
  hours: z.number().positive().optional(),
  limit: z.int().max(100).default(20),
  writable: z.boolean().default(false),
  points: z.array(z.string().max(40)).max(10).optional(),
  quality: z.enum(['GOOD', 'BAD']).optional(),
  cursor: z.string().min(1).optional(),
  note: z.string().optional(),
  clear: z.number().nullable().optional(),
  writes: z.array(z.strictObject({ value: z.string(), after: z.int().optional() })).optional(),
});
const read = (given: object) => {
  const { input, readAs } = lenient(Input, { value: 'x', ...given });
  const { value: _, ...rest } = Input.parse(input);
  return { ...rest, readAs };
};
const plain = { limit: 20, writable: false };

describe('arguments of a tool', () => {
  it.each<[string, object, object, string[]]>([
    ['a number in a text', { hours: '24' }, { hours: 24 }, ['hours: 24']],
    ['a negative number', { clear: ' -1.5 ' }, { clear: -1.5 }, ['clear: -1.5']],
    ['a boolean in a text', { writable: 'True' }, { writable: true }, ['writable: true']],
    ['a list in a text', { points: '["a","b"]' }, { points: ['a', 'b'] }, ['points: as a list']],
    ['one where a list is asked for', { points: 'a' }, { points: ['a'] }, ['points: as a list']],
    ['another case', { quality: 'bad' }, { quality: 'BAD' }, ['quality: "BAD"']],
    ['null', { cursor: null, hours: null }, {}, ['cursor: left out', 'hours: left out']],
    ['an empty text that is refused', { cursor: '' }, {}, ['cursor: left out']],
    [
      'objects in a text, and in them numbers',
      { writes: '{"value":"21","after":"2"}' },
      { writes: [{ value: '21', after: 2 }] },
      ['writes: as a list', 'writes.0: as an object', 'writes.0.after: 2'],
    ],
  ])('%s is understood and named', (_what, given, meant, readAs) => {
    expect(read(given)).toEqual({ ...plain, ...meant, readAs });
  });

  it.each<[string, object]>([
    ['an empty text that is taken', { note: '' }],
    ['null that clears', { clear: null }],
    ['texts of a text', { note: '21', writes: [{ value: '06:00' }] }],
  ])('%s stays as it is', (_what, given) => {
    expect(read(given)).toEqual({ ...plain, ...given, readAs: [] });
  });

  it.each([
    { hours: 'a day' },
    { hours: '0x10' },
    { writable: 'yes' },
    { quality: 'goodish' },
    { limit: '500' },
    { points: '{"a":1}'.repeat(10) },
    { unknown: null },
  ])('%j stays refused', (given) => {
    const { input } = lenient(Input, { value: 'x', ...given });
    expect(Input.safeParse(input).success).toBe(false);
  });

  it('are none where the call has none', () => {
    expect(lenient(z.strictObject({}), undefined)).toEqual({ input: {}, readAs: [] });
    expect(lenient(z.strictObject({}), null)).toEqual({ input: {}, readAs: [] });
  });
});

describe('a time of a tool', () => {
  const now = Date.parse('2026-11-27T04:30:00Z');
  const zone = 'Asia/Kathmandu'; // +05:45: it is 10:15 there

  it.each([
    ['2026-11-26T06:00', '2026-11-26T00:15:00.000Z'],
    ['2026-11-26 06:00', '2026-11-26T00:15:00.000Z'],
    ['2026-11-26T06:00+01:00', '2026-11-26T05:00:00.000Z'],
    ['2026-11-26', '2026-11-25T18:15:00.000Z'],
    ['06:00', '2026-11-27T00:15:00.000Z'],
    ['23:10', '2026-11-26T17:25:00.000Z'],
    ['now', '2026-11-27T04:30:00.000Z'],
    ['Today', '2026-11-26T18:15:00.000Z'],
    ['yesterday', '2026-11-25T18:15:00.000Z'],
    ['8', '2026-11-26T20:30:00.000Z'],
    [1.5, '2026-11-27T03:00:00.000Z'],
    ['8 hours', '2026-11-26T20:30:00.000Z'],
    ['24h', '2026-11-26T04:30:00.000Z'],
    ['last 90 minutes', '2026-11-27T03:00:00.000Z'],
    ['3 days ago', '2026-11-24T04:30:00.000Z'],
    ['PT12H', '2026-11-26T16:30:00.000Z'],
    ['1 week', '2026-11-20T04:30:00.000Z'],
  ])('%s is understood at the plant', (given, at) => {
    expect(momentOf(Since.parse(given), { zone, now }).toISOString()).toBe(at);
  });

  it.each(['soon', '25:00', '0', '-3', '9999 days', '3 months', '2026-13-01', '27.11.2026', ''])(
    '%j is refused, with what is taken',
    (given) => {
      expect(() => Since.parse(given)).toThrow('2026-03-01T08:30');
    },
  );
});
