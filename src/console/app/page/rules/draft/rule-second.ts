import type { InputOf } from '../../../client/call.ts';

/** What a rule says, as the server takes it. */
export type Content = InputOf<'POST /data/rule/add'>['ruleExt']['content'];

type Condition = Content['condition'];
type Sets = Extract<Condition, { all: unknown } | { any: unknown } | { not: unknown }>;
/** A condition on one value, or on a formula. */
export type Plain = Exclude<Condition, Sets>;
/** One of several conditions. */
export type SetPart = Extract<Sets, { all: unknown }>['all'][number];

export const isSet = (condition: Condition | SetPart): condition is Sets =>
  'all' in condition || 'any' in condition || 'not' in condition;

export const ORDER = ['>', '>=', '<', '<='] as const;
export const EQUAL = ['==', '!='] as const;
export const COMPARED = [...ORDER, ...EQUAL];

/** A condition on another point of the device, beside that on the first. */
export type Second = {
  how: 'none' | 'all' | 'any';
  point: string;
  operator: (typeof COMPARED)[number];
  text: string;
};
export const NO_SECOND: Second = { how: 'none', point: '', operator: '>', text: '' };

/** What is shown of a stored condition in the form: null where it is one that the form does not have. */
export function inForm(condition: Condition): { first: Plain; second: Second } | null {
  if (!isSet(condition)) return hasEnds(condition) ? null : { first: condition, second: NO_SECOND };
  const how = 'all' in condition ? 'all' : 'any' in condition ? 'any' : 'none';
  const parts = 'all' in condition ? condition.all : 'any' in condition ? condition.any : [];
  const [first, other, more] = parts;
  if (!first || !other || more || isSet(first) || isSet(other)) return null;
  const { point, field = 'value', ...own } = first;
  const second = secondOf(other);
  if (point !== undefined || !second || hasEnds(first)) return null;
  return { first: { ...own, field }, second: { ...second, how } };
}

/** Whether a range has limits of devices, which the form does not have. */
const hasEnds = (part: Plain | SetPart): boolean =>
  'low' in part && (part.lowAttribute !== undefined || part.highAttribute !== undefined);

function secondOf(part: Exclude<SetPart, Sets>): Omit<Second, 'how'> | null {
  const { point, field = 'value', operator } = part;
  const known = COMPARED.find((each) => each === operator);
  if (point === undefined || field !== 'value' || known === undefined) return null;
  if ('attribute' in part && part.attribute !== undefined) return null;
  if ('threshold' in part) return { point, operator: known, text: String(part.threshold) };
  return 'expected' in part ? { point, operator: known, text: part.expected } : null;
}

/** Both conditions as the server takes them. */
export function joined(first: Plain, second: Second): Condition {
  if (second.how === 'none' || !('field' in first) || first.field !== 'value') return first;
  const { point, text } = second;
  const number = Number(text);
  const isNumber = text.trim() !== '' && Number.isFinite(number);
  const equal = EQUAL.find((each) => each === second.operator);
  const other =
    equal === undefined || isNumber
      ? { point, operator: second.operator, threshold: number }
      : { point, operator: equal, expected: text };
  const own = asPart(first);
  if (own === null) return first;
  return second.how === 'all' ? { all: [own, other] } : { any: [own, other] };
}

/** As one of several conditions; null for one that stands alone. */
function asPart(condition: Plain): Exclude<SetPart, Sets> | null {
  if (!('threshold' in condition || 'low' in condition || 'expected' in condition)) return null;
  const { field: _, ...rest } = condition;
  if ('formula' in rest) return null;
  return rest;
}

export const isSecondWhole = ({ how, point, operator, text }: Second): boolean =>
  how === 'none' ||
  (point !== '' &&
    text.trim() !== '' &&
    (EQUAL.some((each) => each === operator) || Number.isFinite(Number(text))));
