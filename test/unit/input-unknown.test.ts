import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { exact } from '../../src/kernel/input/input.ts';
import { withoutUnknown } from '../../src/kernel/input/unknown.ts';

const shape = {
  ruleName: z.string().optional(),
  size: z.union([z.object({ low: z.number() }), z.object({ high: z.number() })]).optional(),
  parts: z.array(z.object({ kind: z.string().default('a') })).default([]),
  free: z.looseObject({ name: z.string() }).optional(),
  any: z.record(z.string(), z.unknown()).optional(),
};
const refusals = (given: object) =>
  exact(shape, ['createTime'])
    .safeParse(given)
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('members that are not known', () => {
  it.each([
    [{ rule_nam: 'a' }, 'ruleNam: “ruleNam” is not known; did you mean “ruleName”?'],
    [{ colour: 1 }, 'colour: “colour” is not known; known here: ruleName, size, parts, free, any'],
    [{ size: { low: 1, hihg: 2 } }, 'size.hihg: “hihg” is not known; did you mean “high”?'],
    [{ parts: [{}, { kynd: 1 }] }, 'parts.1.kynd: “kynd” is not known; did you mean “kind”?'],
  ])('%j: %s', (given, refusal) => expect(refusals(given)).toEqual([refusal]));

  it.each([
    { createTime: 1, tenantId: '5', entityName: 'a', colour: null },
    { size: { low: 1, high: 2 } },
    { free: { name: 'a', more: 1 }, any: { more: 1 } },
  ])('are none: %j', (given) => expect(refusals(given)).toBeUndefined());

  it('are named, but not more of them than people read', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`more${n}`, n]));
    const refused = refusals({ ['x'.repeat(9_000)]: 1, ...many }) ?? [];
    expect(refused).toHaveLength(20);
    expect(Math.max(...refused.map((each) => each.length))).toBeLessThan(300);
  });

  it('are left out of what is stored, and that stays as it is', () => {
    const stored = { size: { low: 1, b: 2 }, parts: [{ c: 3, kind: 'd' }], e: 4 };
    const kept = withoutUnknown(z.object(shape), stored);
    expect(kept).toEqual({ size: { low: 1 }, parts: [{ kind: 'd' }] });
    expect(stored.e).toBe(4);
  });
});
