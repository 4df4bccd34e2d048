import type { InputOf } from '../../../client/call.ts';
import type { Schemas } from '../../../client/operations.ts';
import type { Draft, Operator } from './rule-entered.ts';
import {
  among,
  comparesWith,
  FORMULA,
  hasGap,
  isDeviation,
  isAggregated,
  RANGE,
  TEXT,
  THERE,
  aggregateIn,
  unitIn,
} from './rule-fit.ts';
import { ALWAYS, hoursOf, scheduleOf } from './rule-hours.ts';
import { lengthIn, NO_LENGTH, textOf } from './rule-length.ts';
import {
  EQUAL,
  isSecondWhole,
  joined,
  NO_SECOND,
  ORDER,
  type Content,
  type Plain,
  inForm,
} from './rule-second.ts';

type Rule = Schemas['Rule'];
type Window = NonNullable<Content['window']>;

export const NEW: Draft = {
  ruleName: '',
  remark: '',
  isEnabled: true,
  target: 'POINT',
  entityId: '',
  areChosen: false,
  deviceIds: [],
  groupIds: [],
  aggregate: 'EACH',
  atLeast: '',
  withValue: '',
  other: null,
  field: 'value',
  formula: '',
  second: NO_SECOND,
  groupId: '',
  minDevices: '3',
  operator: '>',
  limit: '',
  attribute: '',
  low: '',
  high: '',
  text: '',
  held: NO_LENGTH,
  gap: NO_LENGTH,
  mode: 'LAST',
  over: { amount: '10', unit: 'min' },
  per: { amount: '1', unit: 'h' },
  minSamples: '',
  ends: 'plain',
  endOperator: '<',
  endLimit: '',
  endHeld: NO_LENGTH,
  level: 'P2',
  levels: [],
  hours: ALWAYS,
  instruction: '',
  notifyId: '0',
  messageId: '0',
};

export function draftOf(rule: Rule): Draft {
  const {
    condition: stored,
    window,
    recovery = {},
    severity = 'P2',
    levels = [],
    schedule,
    devices,
    aggregate,
    peers,
    instruction = '',
  } = contentOf(rule);
  const given = (value: number | undefined): string => (value === undefined ? '' : String(value));
  const own = recovery.operator !== undefined;
  const shown = inForm(stored);
  const { first: condition, second } = shown ?? { first: NOT_SHOWN, second: NO_SECOND };
  return {
    ruleName: rule.ruleName,
    remark: rule.remark,
    isEnabled: rule.enableFlag === 'ENABLE',
    target: rule.alarmTargetTypeFlag,
    entityId: rule.entityId,
    areChosen: devices !== undefined,
    ...chosenOf(devices),
    ...aggregateOf(aggregate),
    other: shown ? null : stored,
    second,
    ...groupOf(peers),
    formula: 'formula' in condition ? condition.formula : '',
    field: condition.field ?? ('formula' in condition ? FORMULA : 'value'),
    operator: operatorOf(condition),
    limit: 'threshold' in condition ? given(condition.threshold) : '',
    attribute: 'attribute' in condition ? (condition.attribute ?? '') : '',
    low: 'low' in condition ? given(condition.low) : '',
    high: 'high' in condition ? given(condition.high) : '',
    text: 'expected' in condition ? condition.expected : '',
    ...windowOf(window),
    ends: recovery.enabled === false ? 'never' : own ? 'own' : 'plain',
    endOperator: recovery.operator ?? '<',
    endLimit: given(recovery.threshold),
    endHeld: lengthIn(recovery.duration),
    level: severity,
    levels: levels.map((each) => ({ ...each, threshold: String(each.threshold) })),
    hours: hoursOf(schedule),
    instruction,
    notifyId: rule.notifyId,
    messageId: rule.messageId,
  };
}

const chosenOf = ({ ids = [], groupIds = [] }: NonNullable<Content['devices']> = {}) => ({
  deviceIds: ids,
  groupIds,
});

const aggregateOf = (aggregate: Content['aggregate']) => ({
  aggregate: aggregate?.function ?? NEW.aggregate,
  atLeast: String(aggregate?.atLeast ?? NEW.atLeast),
  withValue: String(aggregate?.minDevices ?? NEW.withValue),
});

const groupOf = ({ groupId, minDevices }: Partial<NonNullable<Content['peers']>> = {}) => ({
  groupId: groupId ?? NEW.groupId,
  minDevices: String(minDevices ?? NEW.minDevices),
});

function windowOf({ mode = 'LAST', duration, minSamples, hold, per, maxGap }: Window = {}) {
  const { over } = NEW;
  const gap = lengthIn(maxGap);
  if (mode === 'LAST')
    return { mode, gap, held: lengthIn(duration), over, per: NEW.per, minSamples: '' };
  return {
    mode,
    gap,
    held: lengthIn(hold),
    over: lengthIn(duration),
    per: per === undefined ? NEW.per : lengthIn(per),
    minSamples: typeof minSamples === 'number' ? String(minSamples) : '',
  };
}

/** In place of a condition that the form does not have. */
const NOT_SHOWN: Plain = { field: 'value', operator: 'exists' };

/** Equality with a text is one operator here, however it was written. */
function operatorOf(condition: Plain): Operator {
  if (!('expected' in condition)) return condition.operator;
  if (condition.operator === '==') return 'eq';
  return condition.operator === '!=' ? 'ne' : condition.operator;
}

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** Whether everything that is needed was entered; what is wrong with it the server says. */
export function isWhole(draft: Draft): boolean {
  if (draft.areChosen && draft.deviceIds.length + draft.groupIds.length === 0) return false;
  if (draft.other) return true;
  if (!isSecondWhole(draft.second)) return false;
  if (!draft.levels.every(({ threshold }) => isNumber(threshold))) return false;
  if (draft.field === FORMULA && draft.formula.trim() === '') return false;
  if (isDeviation(draft) && (draft.groupId === '' || !isNumber(draft.minDevices))) return false;
  const needed = {
    limit: isNumber(draft.limit),
    range: isNumber(draft.low) && isNumber(draft.high),
    text: draft.text !== '',
    nothing: draft.operator !== 'nodata' || draft.held.amount !== '',
  }[comparesWith(draft.operator)];
  const ends = draft.ends !== 'own' || isNumber(draft.endLimit);
  if (draft.mode !== 'LAST' && textOf(draft.over) === null) return false;
  return draft.entityId !== '' && !/^$|\.$/.test(draft.field) && needed && ends;
}

function conditionOf(draft: Draft, unit: string): Plain {
  const { operator, formula } = draft;
  const field = draft.field === FORMULA ? { formula } : { field: draft.field };
  const own = unitIn(draft, unit);
  const shown = own === '' ? {} : { unit: own };
  const attribute = draft.target === 'POINT' ? draft.attribute.trim() : '';
  const limit = { threshold: Number(draft.limit), ...(attribute !== '' && { attribute }) };
  if (among(ORDER, operator)) return { ...field, operator, ...limit, ...shown };
  if (among(EQUAL, operator)) return { ...field, operator, ...limit, ...shown };
  if (among(RANGE, operator))
    return { ...field, operator, low: Number(draft.low), high: Number(draft.high), ...shown };
  if (among(TEXT, operator)) return { field: draft.field, operator, expected: draft.text };
  return among(THERE, operator) ? { field: draft.field, operator } : { operator: 'nodata' };
}

function windowIn(draft: Draft): Window {
  const { mode, over, per, minSamples, held, gap } = draft;
  const hold = textOf(held);
  const maxGap = hasGap(draft) ? textOf(gap) : null;
  const without = maxGap !== null && { maxGap };
  if (mode === 'LAST') return { mode, ...(hold !== null && { duration: hold }), ...without };
  const needed = minSamples.trim();
  return {
    mode,
    duration: textOf(over) ?? '',
    ...(hold !== null && { hold }),
    ...without,
    ...(mode === 'RATE' && { per: textOf(per) ?? '' }),
    ...(needed !== '' && { minSamples: Number(needed) }),
  };
}

const NOTHING = {
  instruction: '',
  levels: [],
  schedule: [],
  devices: undefined,
  aggregate: undefined,
  peers: undefined,
};

/** What the server takes of it; `stored` keeps what the form does not show. */
export function extOf(
  draft: Draft,
  unit: string,
  stored: Rule | null,
): InputOf<'POST /data/rule/preview'>['ruleExt'] {
  const endHeld = textOf(draft.endHeld);
  const lasting = endHeld === null ? {} : { duration: endHeld };
  const recovery = {
    plain: { enabled: true, ...lasting },
    own: {
      enabled: true,
      operator: draft.endOperator,
      threshold: Number(draft.endLimit),
      ...lasting,
    },
    never: { enabled: false },
  }[draft.ends];
  const {
    instruction: _stored,
    levels: _levels,
    schedule: _schedule,
    devices: _devices,
    aggregate: _aggregate,
    peers: _peers,
    ...kept
  } = stored ? contentOf(stored) : NOTHING;
  const instruction = draft.instruction.trim();
  const schedule = scheduleOf(draft.hours);
  return {
    ...stored?.ruleExt,
    content: {
      ...kept,
      condition: draft.other ?? joined(conditionOf(draft, unit), draft.second),
      window: windowIn(draft),
      recovery,
      severity: draft.level,
      ...(draft.areChosen && { devices: chosenIn(draft) }),
      ...(isAggregated(draft) && { aggregate: aggregateIn(draft) }),
      ...(isDeviation(draft) && {
        peers: { groupId: draft.groupId, minDevices: Number(draft.minDevices) },
      }),
      ...(schedule && { schedule }),
      ...(draft.levels.length > 0 && {
        levels: draft.levels.map((each) => ({ ...each, threshold: Number(each.threshold) })),
      }),
      ...(instruction !== '' && { instruction }),
    },
  };
}

const chosenIn = ({ deviceIds, groupIds }: Draft) => ({
  ...(deviceIds.length > 0 && { ids: [...deviceIds] }),
  ...(groupIds.length > 0 && { groupIds: [...groupIds] }),
});

/** What a stored rule says. The server stores what it has checked; the types of its answers know an object alone. */
export function contentOf({ ruleExt }: Pick<Schemas['Rule'], 'ruleExt'>): Content {
  const { content } = ruleExt;
  return isContent(content) ? content : { condition: { operator: 'nodata' } };
}

/** The unit that a stored rule shows its limits in. */
export function unitOf({ condition }: Content): string {
  const first = inForm(condition)?.first;
  return (first && 'unit' in first ? first.unit : undefined) ?? '';
}

const isContent = (given: unknown): given is Content =>
  typeof given === 'object' && given !== null && 'condition' in given;
