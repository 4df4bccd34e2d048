import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { contains } from '../../src/db/query-page.ts';
import { ByIds, Ext, input } from '../../src/kernel/input/input.ts';

describe('an extension object', () => {
  it.each([
    [{}, true],
    [{ keep: 'umlaut ü, emoji 😀, backslash \\u0000' }, true],
    [{ keep: 'a\0b' }, false],
    [{ keep: '\ud83d' }, false],
    [{ 'a\0': 1 }, false],
    [{ keep: 'x'.repeat(20_000) }, false],
    [[], false],
    ['text', false],
    [null, false],
  ])('%j is taken: %s', (ext, taken) => {
    expect(Ext.safeParse(ext).success).toBe(taken);
  });

  it('is refused when it is nested beyond the stack', () => {
    let deep: Record<string, unknown> = {};
    for (let depth = 0; depth < 100_000; depth += 1) deep = { deep };
    expect(Ext.safeParse(deep).success).toBe(false);
  });
});

describe('an input', () => {
  const Query = input({ deviceId: z.string(), count: z.number().default(1) });

  it('takes snake case', () => {
    expect(Query.parse({ device_id: '1' })).toEqual({ deviceId: '1', count: 1 });
  });

  it('cannot reach a prototype by its keys', () => {
    const parsed = Query.parse(JSON.parse('{"deviceId":"1","__proto__":{"count":7}}'));
    expect(parsed).toEqual({ deviceId: '1', count: 1 });
  });

  it('may be nothing when every field has a default', () => {
    expect(input({ count: z.number().default(1) }).parse(undefined)).toEqual({ count: 1 });
  });
});

it('ids come as a list or as an object, at most 500', () => {
  expect(ByIds.parse(['1', 2])).toEqual({ ids: ['1', '2'] });
  expect(ByIds.parse({ ids: [3] })).toEqual({ ids: ['3'] });
  expect(ByIds.safeParse(Array.from({ length: 501 }, () => '1')).success).toBe(false);
});

it('a contains filter means LIKE characters literally', () => {
  expect(contains('50%_\\')).toBe('%50\\%\\_\\\\%');
});
