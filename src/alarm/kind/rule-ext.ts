import { z } from 'zod';

import { Text } from '../../kernel/input/text.ts';
import { Duration } from './duration.ts';
import { extOf } from './ext.ts';
import { Window } from './window.ts';

const field = Text(64).regex(/^[A-Za-z][A-Za-z0-9_.-]*$/, 'must be the name of a field');
const number = z.number();
const unit = Text(32).optional();

const EQUAL = ['==', '!='] as const;
const comparison = z.enum(['>', '>=', '<', '<=', ...EQUAL]);
const range = z.enum(['between', 'outside']);
const text = z.enum(['eq', 'ne', 'contains']);
const presence = z.enum(['exists', 'missing']);
const operators = [comparison, range, text, presence].flatMap(({ options }) => [...options]);
const Named = z.looseObject({ operator: z.enum([...operators, 'nodata']) });

/** What is wrong with a condition that is none, by its operator. */
function lackOf(given: unknown): string {
  const { data } = Named.safeParse(given);
  if (!data) return `operator must be one of ${operators.join(', ')}, nodata`;
  const { operator } = data;
  if (!field.safeParse(data['field']).success)
    return `${operator} needs field, the name of what it compares, such as value`;
  if (range.safeParse(operator).success) return `${operator} needs low and high, two numbers`;
  if (text.safeParse(operator).success)
    return `${operator} needs expected, a text; a number is compared by == with threshold`;
  const orText = operator === '==' || operator === '!=' ? ', or expected, a text' : '';
  return `${operator} needs threshold, a number${orText}`;
}

/** A structured condition on a fact; no expression is evaluated as code. */
export const Condition = z.union(
  [
    z.object({ field, operator: comparison, threshold: number, unit }),
    z.object({ field, operator: z.enum(EQUAL), expected: Text(1024) }),
    z
      .object({ field, operator: range, low: number, high: number, unit })
      .refine(({ low, high }) => low <= high, 'low must not be above high'),
    z.object({ field, operator: text, expected: Text(1024) }),
    z.object({ field, operator: presence }),
    // Matches when no value arrives for the duration of the window.
    z.object({ field: field.optional(), operator: z.literal('nodata') }),
  ],
  { error: ({ input }) => lackOf(input) },
);
export type Condition = z.infer<typeof Condition>;

const MAX_INSTRUCTION = 1_000;

const Recovery = z.object({
  enabled: z.boolean().default(true),
  operator: comparison.optional(),
  threshold: number.optional(),
  duration: Duration.optional(),
});

export const Content = z
  .object({
    condition: Condition,
    window: Window.default({ mode: 'LAST' }),
    /** Without an operator: recovery when the condition no longer matches; EVENT rules then never recover. */
    recovery: Recovery.default({ enabled: true }),
    severity: z.enum(['P0', 'P1', 'P2', 'P3']).default('P2'),
    instruction: Text(MAX_INSTRUCTION)
      .describe(
        'What to do when it fires: plain text, shown with its alarms and in messages of them',
      )
      .optional(),
    eventType: Text(64).optional(),
    labels: z.array(Text(64)).max(32).optional(),
  })
  .refine(
    ({ recovery }) => (recovery.operator === undefined) === (recovery.threshold === undefined),
    'recovery needs operator and threshold, or neither',
  )
  .refine(
    ({ condition, window }) => condition.operator !== 'nodata' || window.duration !== undefined,
    'nodata needs window.duration',
  );
export type RuleContent = z.infer<typeof Content>;

/** `ruleExt` (docs/specification/alarms.md, Definition of a rule). */
export const RuleExt = extOf(Content).meta({
  examples: [
    {
      content: {
        condition: { field: 'calValue', operator: '>', threshold: 80, unit: '°C' },
        window: { mode: 'LAST', duration: 'PT5M' },
        severity: 'P1',
        instruction: 'Close valve 3, then call the plumber.',
      },
    },
    {
      content: {
        condition: { field: 'value', operator: '>', threshold: 5 },
        window: { mode: 'RATE', duration: 'PT30M', per: 'PT1H', minSamples: 5 },
      },
    },
  ],
});
