import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { lenient } from '../../tools/given/lenient.ts';
import { momentOf as momentFor } from '../../tools/given/moment.ts';
import { momentOf, Since } from '../../tools/given/window.ts';

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
    ['signs around a name', { quality: ' "bad" ' }, { quality: 'BAD' }, ['quality: "BAD"']],
    ['yes', { writable: 'yes' }, { writable: true }, ['writable: true']],
    ['one', { writable: 1 }, { writable: true }, ['writable: true']],
    ['a length of time', { hours: 'a day' }, { hours: 24 }, ['hours: 24']],
    ['minutes', { hours: '90 min' }, { hours: 1.5 }, ['hours: 1.5']],
    [
      'a length of a field in another case',
      { Hours: '2h' },
      { hours: 2 },
      ['Hours: as hours', 'Hours: 2'],
    ],
    ['a list of Python', { points: "['a', 'b']" }, { points: ['a', 'b'] }, ['points: as a list']],
    ['a list of one', { quality: ['BAD'] }, { quality: 'BAD' }, ['quality: "BAD"']],
    [
      'the word null',
      { hours: 'null', cursor: 'None' },
      {},
      ['hours: left out', 'cursor: left out'],
    ],
    ['a list of null', { points: ['null'] }, {}, ['points: left out']],
    ['a key in another case', { Writable: true }, { writable: true }, ['Writable: as writable']],
    [
      'a field by its subject',
      { point: ['a'], write: { value: '1' } },
      { points: ['a'], writes: [{ value: '1' }] },
      ['point: as points', 'write: as writes', 'write: as a list'],
    ],
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
    ['the word null inside', { writes: [{ value: 'null' }] }],
    ['texts of a text', { note: '21', writes: [{ value: '06:00' }] }],
  ])('%s stays as it is', (_what, given) => {
    expect(read(given)).toEqual({ ...plain, ...given, readAs: [] });
  });

  it.each([
    { hours: 'a while' },
    { hours: '0x10' },
    { hours: '1,5' },
    { writable: 'maybe' },
    { points: [null, 'a'] },
    { quality: 'goodish' },
    { limit: '500' },
    { points: '{"a":1}'.repeat(10) },
    { unknown: null },
  ])('%j stays refused', (given) => {
    const { input } = lenient(Input, { value: 'x', ...given });
    expect(Input.safeParse(input).success).toBe(false);
  });

  it('that are required stay as they are, also the word null', () => {
    expect(lenient(Input, { value: 'null' })).toEqual({ input: { value: 'null' }, readAs: [] });
  });

  it('in one more object are the arguments', () => {
    const { input, readAs } = lenient(Input, { arguments: '{"value":"x","limit":"5"}' });
    expect(Input.parse(input)).toEqual({ ...plain, value: 'x', limit: 5 });
    expect(readAs).toEqual(['arguments: as the arguments', 'limit: 5']);
  });

  it('that mean one field twice stay refused', () => {
    for (const twice of [
      { point_s: ['a'], points: ['b'] },
      { Points: ['a'], POINTS: ['b'] },
    ])
      expect(Input.safeParse(lenient(Input, { value: 'x', ...twice }).input).success).toBe(false);
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
    ['-8h', '2026-11-26T20:30:00.000Z'],
    ['now-8h', '2026-11-26T20:30:00.000Z'],
    ['the last hour', '2026-11-27T03:30:00.000Z'],
    ['1d 12h', '2026-11-25T16:30:00.000Z'],
    ['P1DT12H', '2026-11-25T16:30:00.000Z'],
    ['6 am', '2026-11-27T00:15:00.000Z'],
    ['06:00:30', '2026-11-27T00:15:30.000Z'],
    ['yesterday at 18:00', '2026-11-26T12:15:00.000Z'],
    ['this week', '2026-11-22T18:15:00.000Z'],
    ['27.11.2026', '2026-11-26T18:15:00.000Z'],
    ['27.11.2026, 06:00', '2026-11-27T00:15:00.000Z'],
    ['2026/11/26 06:00', '2026-11-26T00:15:00.000Z'],
    ['2026-11-26 06:00 +01:00', '2026-11-26T05:00:00.000Z'],
    ['2026-11-26 06:00 UTC', '2026-11-26T06:00:00.000Z'],
    ['Nov 26, 2026 6:00 AM', '2026-11-26T00:15:00.000Z'],
    ['26 November 2026', '2026-11-25T18:15:00.000Z'],
    [1795753800, '2026-11-27T04:30:00.000Z'],
    ['1795753800000', '2026-11-27T04:30:00.000Z'],
  ])('%s is understood at the plant', (given, at) => {
    expect(momentOf(Since.parse(given), { zone, now }).toISOString()).toBe(at);
  });

  it.each([
    'soon',
    '25:00',
    '0',
    '-3',
    '9999 days',
    '3 months',
    '2026-13-01',
    '11/27/2026',
    '31.02.2026',
    '13 pm',
    '26 Nonember 2026',
    '',
  ])('%j is refused, with what is taken', (given) => {
    expect(() => Since.parse(given)).toThrow('2026-03-01T08:30');
  });
});

describe('a time to come of a tool', () => {
  const at = { zone: 'Asia/Kathmandu', now: Date.parse('2026-11-27T04:30:00Z'), field: 'end' };

  it.each([
    ['2026-11-28T06:00', '2026-11-28T00:15:00.000Z'],
    ['tomorrow 06:00', '2026-11-28T00:15:00.000Z'],
    ['today at 6 pm', '2026-11-27T12:15:00.000Z'],
    ['in 2 hours', '2026-11-27T06:30:00.000Z'],
    ['+90m', '2026-11-27T06:00:00.000Z'],
  ])('%s is understood and to come', (given, meant) => {
    expect(new Date(momentFor(given, at)).toISOString()).toBe(meant);
  });

  it.each(['06:00', '2 hours', 'soon', '11/28/2026'])('%s is refused', (given) => {
    expect(() => momentFor(given, at)).toThrow('end must be a time such as');
  });
});
