import { bounds } from '../../../client/bounds.ts';
import type { Schemas } from '../../../client/operations.ts';
import type { Draft, Mode, Operator } from './rule-entered.ts';
import { EQUAL, NO_SECOND, ORDER, type Content } from './rule-second.ts';

const MODES = bounds['POST /data/rule/add']['ruleExt.content.window.mode'].values;
export const RANGE = ['between', 'outside'] as const;
export const TEXT = ['eq', 'ne', 'contains'] as const;
export const THERE = ['exists', 'missing'] as const;

export const among = <T extends Operator>(list: readonly T[], operator: Operator): operator is T =>
  list.some((each) => each === operator);

export function comparesWith(operator: Operator): 'limit' | 'range' | 'text' | 'nothing' {
  if (among(RANGE, operator)) return 'range';
  if (among(TEXT, operator)) return 'text';
  return among(THERE, operator) || operator === 'nodata' ? 'nothing' : 'limit';
}

type PointType = Schemas['Point']['pointTypeFlag'];

/** The field of what a formula comes to. */
export const FORMULA = 'formula';

/** Whether how far a value is from the median of a group is compared. */
export const isDeviation = ({ target, field }: Pick<Draft, 'target' | 'field'>): boolean =>
  target === 'POINT' && (field === 'deviation' || field === 'deviationPercent');

/** Whether the chosen devices are judged together; and then, whether by how many of them match. */
export const isAggregated = ({ target, areChosen, aggregate }: Aggregated): boolean =>
  target === 'POINT' && areChosen && aggregate !== 'EACH';
const isOfMatching = (draft: Aggregated): boolean =>
  isAggregated(draft) && ['ALL', 'ANY', 'NONE'].includes(draft.aggregate);
type Aggregated = Pick<Draft, 'target' | 'areChosen' | 'aggregate'>;

/** What all of them come to, as the server takes it. */
export function aggregateIn({
  aggregate,
  atLeast,
  withValue,
}: Draft): NonNullable<Content['aggregate']> {
  return {
    function: aggregate === 'EACH' ? 'ALL' : aggregate,
    ...(aggregate === 'ANY' && atLeast.trim() !== '' && { atLeast: Number(atLeast) }),
    ...(withValue.trim() !== '' && { minDevices: Number(withValue) }),
  };
}

/** Before the name of a parameter that an event carries. */
export const PARAMETER = 'paramValues.';
const isName = ({ target, field }: Draft): boolean =>
  target !== 'POINT' && !field.startsWith(PARAMETER);

/** The operators that make sense for what is compared: a number is no text, and a name has no size. */
export function operatorsOf(draft: Draft, type: PointType | null): readonly Operator[] {
  if (isName(draft)) return TEXT;
  if (draft.field === FORMULA || isDeviation(draft)) return [...ORDER, ...RANGE, ...EQUAL];
  if (draft.target !== 'POINT') return [...TEXT, ...ORDER, ...RANGE, ...EQUAL, ...THERE];
  const isText = type === null || type === 'STRING' || draft.field === 'rawValue';
  if (isText) return [...ORDER, ...RANGE, ...EQUAL, ...TEXT, ...THERE, 'nodata'];
  return type === 'BOOLEAN'
    ? ['eq', 'ne', ...THERE, 'nodata']
    : [...ORDER, ...RANGE, ...EQUAL, ...THERE, 'nodata'];
}

/** Whether a condition on another point of the device may stand beside the first. */
export function hasSecond(draft: Draft): boolean {
  const { target, entityId, field, operator, mode } = draft;
  return (
    target === 'POINT' &&
    entityId !== '0' &&
    field === 'value' &&
    mode === 'LAST' &&
    !isAggregated(draft) &&
    comparesWith(operator) !== 'nothing'
  );
}

/** Whether an alarm may have more levels: beyond one limit there may be another. */
export const hasLevels = ({ operator, level, other }: Draft): boolean =>
  among(ORDER, operator) && level !== 'P0' && !other;

/** Whether something must hold for a time, in which there may be no values for a while. */
export const hasGap = ({ target, operator, held, endHeld }: Draft): boolean =>
  target === 'POINT' && operator !== 'nodata' && held.amount + endHeld.amount !== '';

/** How it may be over: a name is below no limit, and several values have none of their own. */
export const endingsOf = (draft: Draft): readonly Draft['ends'][] =>
  isName(draft) || draft.second.how !== 'none' || draft.other
    ? ['plain', 'never']
    : ['plain', 'own', 'never'];

/** What may be compared: what values come to is a number. */
export function modesOf(draft: Draft, type: PointType | null): readonly Mode[] {
  const { target, field, operator } = draft;
  const kind = comparesWith(operator);
  const isNumber = kind === 'limit' || kind === 'range';
  const isValue =
    field === FORMULA || isDeviation({ target, field }) || (field === 'value' && type !== 'STRING');
  const isOfPoint = target === 'POINT' && isValue && !isOfMatching(draft);
  return isNumber && isOfPoint ? MODES : ['LAST'];
}

/** The unit of what is compared: a count has none, and that of a rate the server makes. */
export function unitIn({ mode, field }: Draft, unit: string): string {
  if (mode === 'COUNT' || mode === 'RATE') return '';
  return field === 'deviationPercent' ? '%' : unit;
}

/** Replaces an operator or a recovery that the field of the draft does not allow by one that it allows. */
export function fitted(draft: Draft, type: PointType | null): Draft {
  const operators = operatorsOf(draft, type);
  const operator = operators.includes(draft.operator) ? draft.operator : (operators[0] ?? '>');
  const modes = modesOf({ ...draft, operator }, type);
  const levels = hasLevels({ ...draft, operator }) ? draft.levels : [];
  const isAlone = !hasSecond({ ...draft, operator });
  return {
    ...draft,
    operator,
    levels: levels.filter(({ severity }) => severity < draft.level),
    second: isAlone ? NO_SECOND : draft.second,
    mode: modes.includes(draft.mode) ? draft.mode : 'LAST',
    ends: endingsOf(draft).includes(draft.ends) ? draft.ends : 'plain',
  };
}
