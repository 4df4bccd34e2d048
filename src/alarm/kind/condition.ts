import { z } from 'zod';

import { inputParts } from '../../kernel/input/json-schema.ts';
import { Text } from '../../kernel/input/text.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { FormulaError, formulaOf } from './formula.ts';

const field = Text(64).regex(/^[A-Za-z][A-Za-z0-9_.-]*$/, 'must be the name of a field');
const number = z.number();
const unit = Text(32).optional();

const EQUAL = ['==', '!='] as const;
export const comparison = z.enum(['>', '>=', '<', '<=', ...EQUAL]);
/** Whether a range has a value in it. */
const isOrdered = ({ low, high }: { low: number; high: number }): boolean => low <= high;
const range = z.enum(['between', 'outside']);
const text = z.enum(['eq', 'ne', 'contains']);
const presence = z.enum(['exists', 'missing']);
const operators = [comparison, range, text, presence].flatMap(({ options }) => [...options]);
const Named = z.looseObject({ operator: z.enum([...operators, 'nodata']) });

const MAX_FORMULA = 256;
/** The field that has what a formula comes to. */
export const FORMULA = 'formula';
const formula = Text(MAX_FORMULA)
  .check(({ value, issues }) => {
    const message = wrongIn(value);
    if (message !== null) issues.push({ code: 'custom', input: value, message });
  })
  .describe(
    'Numbers, points of the device by code or name, + - * / ^, parentheses, min, max, abs and round',
  );
const ofFormula = { formula, field: z.literal(FORMULA).default(FORMULA) };

function wrongIn(given: string): string | null {
  try {
    formulaOf(given);
    return null;
  } catch (error) {
    if (error instanceof FormulaError) return error.message;
    throw error;
  }
}

/** Where the limit of a device is, beside the threshold of the rule. */
const attribute = Text(64)
  .describe(
    'Code of a numeric attribute of devices or points: the threshold of each device that has a config of it; levels and recovery keep their distance',
  )
  .optional();

/** As `attribute`, of the ends of a range; limits of a device that cross do not count. */
const end = Text(64)
  .describe(
    'Code of a numeric attribute: that end of the range at each device that has a config of it',
  )
  .optional();
const ends = { low: number, high: number, lowAttribute: end, highAttribute: end };

/** What is wrong with a condition that is none, by its operator. */
function lackOf(given: unknown): string {
  const inner = partsIn(given);
  if (inner) return inner;
  const { data } = Named.safeParse(given);
  if (!data) return `operator must be one of ${operators.join(', ')}, nodata`;
  const { operator } = data;
  const wrong = typeof data['formula'] === 'string' ? wrongIn(data['formula']) : null;
  if (wrong !== null) return `formula: ${wrong}`;
  if (data['formula'] === undefined && !field.safeParse(data['field']).success)
    return `${operator} needs field, the name of what it compares, such as value`;
  if (range.safeParse(operator).success) return `${operator} needs low and high, two numbers`;
  if (text.safeParse(operator).success)
    return `${operator} needs expected, a text; a number is compared by == with threshold`;
  const orText = operator === '==' || operator === '!=' ? ', or expected, a text' : '';
  return `${operator} needs threshold, a number${orText}`;
}

const SETS = ['all', 'any', 'not'] as const;
const MAX_PARTS = 16;

/** What is wrong with the first part of a set of conditions that is none; null for what is no set. */
function partsIn(given: unknown): string | null {
  const set = z.looseObject({}).safeParse(given).data ?? {};
  const name = SETS.find((each) => Object.hasOwn(set, each));
  if (name === undefined) return null;
  const parts = z.array(z.unknown()).min(1).max(MAX_PARTS).safeParse(set[name]).data;
  if (!parts) return `${name} needs a list of 1 to ${MAX_PARTS} conditions`;
  const wrong = parts.findIndex((part) => !Part.safeParse(part).success);
  if (wrong === -1) return `a rule has ${MAX_PARTS} conditions at most, three deep`;
  const part = parts[wrong];
  const lack = partsIn(part) ?? lackOf({ field: 'value', ...Object(part) });
  return `${name}.${wrong}: ${lack}`;
}

const between = z
  .object({ field, operator: range, ...ends, unit })
  .refine(isOrdered, 'low must not be above high');

/** Of a point of the device, by its code, name or id; without one, of the point that the rule watches. */
const leaf = {
  point: Text(128)
    .describe('Code, name or id of a point of the device; the point of the rule without it')
    .optional(),
  field: z.enum(['value', 'calValue', 'numValue', 'rawValue']).default('value'),
};
const Leaf = z.union([
  z.object({ ...leaf, operator: comparison, threshold: number, attribute, unit }),
  z.object({ ...leaf, operator: z.enum(EQUAL), expected: Text(1024) }),
  z
    .object({ ...leaf, operator: range, ...ends, unit })
    .refine(isOrdered, 'low must not be above high'),
  z.object({ ...leaf, operator: text, expected: Text(1024) }),
]);
inputParts.add(Leaf, { name: 'PointCondition' });
/** A condition on one point, part of a set. */
export type Leaf = z.infer<typeof Leaf>;

const setsOf = <P extends z.ZodType>(part: P) => {
  const parts = z.array(part).min(1).max(MAX_PARTS);
  return [
    z.object({ operator: z.literal('all').default('all'), all: parts }),
    z.object({ operator: z.literal('any').default('any'), any: parts }),
    z.object({ operator: z.literal('not').default('not'), not: parts.describe('None of them') }),
  ] as const;
};
const Inner = z.union([Leaf, ...setsOf(Leaf)]);
const Part = z.union([Leaf, ...setsOf(Inner)]);
const Sets = z.union(setsOf(Part));
inputParts.add(Inner, { name: 'InnerConditions' });
inputParts.add(Part, { name: 'PartConditions' });
/** Several conditions, of which all, any or none have to match. */
export type Sets = z.infer<typeof Sets>;
export type Part = z.infer<typeof Part>;

/** The conditions of a set, in order. */
export function partsOf(set: Exclude<Part, Leaf> | Sets): readonly Part[] {
  if ('all' in set) return set.all;
  return 'any' in set ? set.any : set.not;
}

export const isSet = (part: Condition | Part): part is Sets =>
  part.operator === 'all' || part.operator === 'any' || part.operator === 'not';

/** The conditions of a set on one point each. */
export const leavesOf = (set: Sets | Part): readonly Leaf[] =>
  isSet(set) ? partsOf(set).flatMap(leavesOf) : [set];

/** A structured condition on a fact; no expression is evaluated as code. */
export const Condition = z.union(
  [
    z.object({ ...ofFormula, operator: comparison, threshold: number, attribute, unit }),
    z
      .object({ ...ofFormula, operator: range, ...ends, unit })
      .refine(isOrdered, 'low must not be above high'),
    z.object({ field, operator: comparison, threshold: number, attribute, unit }),
    z.object({ field, operator: z.enum(EQUAL), expected: Text(1024) }),
    between,
    z.object({ field, operator: text, expected: Text(1024) }),
    z.object({ field, operator: presence }),
    // Matches when no value arrives for the duration of the window.
    z.object({ field: field.optional(), operator: z.literal('nodata') }),
    Sets.refine(
      (set) => leavesOf(set).length <= MAX_PARTS,
      `a rule has ${MAX_PARTS} conditions at most`,
    ),
  ],
  { error: ({ input }) => lackOf(input) },
);
inputParts.add(Condition, { name: 'Condition' });
export type Condition = z.infer<typeof Condition>;

/** The field that a condition compares; none of a set, and of silence. */
export const fieldIn = (condition: Condition): string | undefined =>
  'field' in condition ? condition.field : undefined;

/** A limit that a device may have of its own. */
export type NamedLimit = {
  /** The attribute that has it. */
  code: string;
  /** Of the point of this name; undefined: of the one that the rule watches. */
  point: string | undefined;
  /** What it is at devices without it. */
  own: number;
};

/** The limits of devices that a condition names, in the order of its parts. */
export function namedLimits(condition: Condition | Part): NamedLimit[] {
  if (isSet(condition)) return leavesOf(condition).flatMap(namedLimits);
  const point = 'point' in condition ? condition.point : undefined;
  const named = (code: string | undefined, own: number): NamedLimit[] =>
    code === undefined ? [] : [{ code, point, own }];
  if ('threshold' in condition) return named(condition.attribute, condition.threshold);
  return 'low' in condition
    ? [
        ...named(condition.lowAttribute, condition.low),
        ...named(condition.highAttribute, condition.high),
      ]
    : [];
}

export const isFormula = (
  condition: Condition,
): condition is Extract<Condition, { formula: string }> => 'formula' in condition;

/** What a condition compares, for people: a formula as a quotation, which anybody may have written. */
export const namedIn = (condition: Condition): string =>
  isFormula(condition) ? quoted(condition.formula) : (fieldIn(condition) ?? '');
