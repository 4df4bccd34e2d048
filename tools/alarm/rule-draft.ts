import { z } from 'zod';

import { fieldIn, isFormula, isSet } from '../../src/alarm/kind/condition.ts';
import { type RuleContent, RuleExt } from '../../src/alarm/kind/rule-ext.ts';
import { BadRequest } from '../../src/kernel/errors.ts';
import { Text } from '../../src/kernel/input/text.ts';
import { oneOf } from '../given/one-of.ts';
import { Verbatim } from '../given/spelled.ts';

const Duration = Text(32).describe('ISO-8601, such as PT10M');

const Operator = oneOf([
  '>',
  '>=',
  '<',
  '<=',
  '==',
  '!=',
  'between',
  'outside',
  'eq',
  'ne',
  'contains',
  'exists',
  'missing',
  'nodata',
]).describe('>, >=, <, <=, ==, !=; between, outside with low, high; eq, ne, contains; nodata');

/** What a rule on a point says, flat: a model writes this without nesting. */
export const draft = {
  operator: Operator.optional(),
  threshold: z.number().optional().describe('Of >, <, =='),
  attribute: Text(64).optional().describe('Its code: limits of devices'),
  low: z.number().optional().describe('Of between, outside'),
  high: z.number().optional().describe('Of between, outside'),
  expected: Verbatim(256).optional().describe('A text, of eq, ne, contains'),
  hold: Duration.optional().describe('How long it must hold, or a silence lasts: PT10M'),
  maxGap: Duration.optional().describe('Longest gap between values while it holds'),
  recoverAt: z.number().optional().describe('Over only beyond this value, against flapping'),
  level: oneOf(['P0', 'P1', 'P2', 'P3']).optional().describe('P0 (most urgent) to P3'),
  instruction: Text(1_000).optional().describe('What to do when it fires'),
};
export type Draft = z.output<z.ZodObject<typeof draft>>;

/** The rule that a draft makes of `stored`, or of nothing: what the draft leaves out stays as it was. */
export function contentOf(given: Draft, stored: RuleContent | null, field = 'value'): RuleContent {
  const condition = conditionOf(given, stored, field);
  const before = stored ?? { window: {}, recovery: { enabled: true } };
  const isWindow = stored !== null && stored.window.mode !== 'LAST';
  const hold = given.hold === undefined ? {} : { [isWindow ? 'hold' : 'duration']: given.hold };
  const content = {
    ...before,
    condition,
    window: {
      ...before.window,
      ...hold,
      ...(given.maxGap !== undefined && { maxGap: given.maxGap }),
    },
    recovery: recoveryOf(given, condition, before.recovery),
    ...(given.level !== undefined && { severity: given.level }),
    ...(given.instruction !== undefined && { instruction: given.instruction }),
  };
  const { data, error } = RuleExt.safeParse({ content });
  if (data) return data.content;
  throw new BadRequest(error.issues[0]?.message ?? 'this is no rule');
}

/** The rule that fires while a device is offline. Throws BadRequest where the draft says another condition. */
export function offlineContent(given: Draft): RuleContent {
  const { operator, threshold, attribute, low, high, expected, recoverAt } = given;
  if (
    [operator, threshold, attribute, low, high, expected, recoverAt].some(
      (one) => one !== undefined,
    )
  )
    throw new BadRequest(
      'a rule on a device fires while it is offline: give hold, level and instruction alone',
    );
  return contentOf({ ...given, operator: 'eq', expected: 'OFFLINE' }, null, 'statusName');
}

function conditionOf(
  given: Draft,
  stored: RuleContent | null,
  asked: string,
): Record<string, unknown> {
  const { operator, threshold, attribute, low, high, expected } = given;
  const old = stored?.condition;
  const isSame = old !== undefined && (operator === undefined || operator === old.operator);
  const kept = isSame || (old && isFormula(old)) ? old : {};
  if (old === undefined && operator === undefined)
    throw new BadRequest('operator: a new rule needs one, such as > with threshold');
  const limits = [operator, threshold, attribute, low, high, expected];
  if (old && isSet(old)) {
    if (limits.every((limit) => limit === undefined)) return old;
    throw new BadRequest('this rule has several conditions, which only a person can change');
  }
  const known = { operator: operator ?? old?.operator, threshold, attribute, low, high, expected };
  const field = (old && fieldIn(old)) ?? asked;
  return {
    ...(known.operator === 'nodata' ? {} : { field }),
    ...kept,
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
  };
}

/** Back beyond the other side of the limit; the recovery of another operator says nothing of this one. */
function recoveryOf(
  { recoverAt, operator }: Draft,
  condition: Record<string, unknown>,
  before: object,
): object {
  if (recoverAt === undefined)
    return operator === undefined
      ? before
      : { ...before, operator: undefined, threshold: undefined };
  const opposite: Record<string, string> = { '>': '<=', '>=': '<', '<': '>=', '<=': '>' };
  const back = opposite[String(condition['operator'])];
  if (back === undefined)
    throw new BadRequest('recoverAt: only >, >=, < and <= recover at another value');
  return { ...before, enabled: true, operator: back, threshold: recoverAt };
}
