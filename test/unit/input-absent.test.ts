import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { input } from '../../src/kernel/input/input.ts';

const Query = input({
  confirmFlag: z.number().optional(),
  rangeKey: z.enum(['24h', '7d']).optional(),
  size: z.number().default(20),
  minValue: z.number().nullable().optional(),
  name: z.string(),
  ext: z.object({ content: z.object({ unit: z.string().optional() }).prefault({}) }).optional(),
  items: z.array(z.object({ id: z.string(), note: z.string().optional() })).default([]),
  free: z.record(z.string(), z.unknown()).optional(),
});

describe('null in a body', () => {
  it('is the same as absent', () => {
    expect(Query.parse({ name: 'a', confirm_flag: null, rangeKey: null, size: null })).toEqual({
      name: 'a',
      size: 20,
      items: [],
    });
  });

  it('also deep in an object and in the objects of a list', () => {
    const given = { name: 'a', ext: { content: { unit: null } }, items: [{ id: '1', note: null }] };
    expect(Query.parse(given)).toMatchObject({ ext: { content: {} }, items: [{ id: '1' }] });
    expect(Query.parse({ name: 'a', ext: { content: null } })).toMatchObject({
      ext: { content: {} },
    });
  });

  it('keeps its meaning where a field takes it, and stays in free-form objects', () => {
    expect(Query.parse({ name: 'a', minValue: null, free: { a: null } })).toMatchObject({
      minValue: null,
      free: { a: null },
    });
  });

  it('of a required field is the refusal of an absent one', () => {
    expect(Query.safeParse({ name: null }).error?.issues).toEqual(
      Query.safeParse({}).error?.issues,
    );
  });
});
