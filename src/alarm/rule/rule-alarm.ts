import { amount, byName, quoted } from '../../kernel/sentence/voice.ts';
import { AlarmLevel, type NewAlarm } from '../alarm/alarm.ts';
import type { AlarmEvent } from '../deliver/compose/alarm-event.ts';
import type { NoticeEvent } from '../deliver/compose/notice-event.ts';
import type { Fact } from './decide.ts';
import { durationWords } from './duration.ts';
import type { ActiveRule } from './rule-cache.ts';
import type { RuleContent } from './rule-ext.ts';
import type { State, Step } from './step.ts';

/** A fact and the rule under evaluation. */
type Held = Pick<Step, 'tenantId' | 'rule' | 'fact' | 'now'>;

/** The rule and the values of the fact at the time of firing. */
export const snapshot = ({ rule, fact }: Pick<Step, 'rule' | 'fact'>) => ({
  ruleId: rule.id,
  ruleCode: rule.code,
  ruleName: rule.name,
  severity: rule.content.severity,
  eventType: rule.content.eventType ?? '',
  labels: rule.content.labels ?? [],
  condition: rule.content.condition,
  window: rule.content.window,
  recovery: rule.content.recovery,
  values: fact.values,
});

export function alarmOf(given: Held, ruleStateId: string): NewAlarm {
  const { tenantId, rule, fact, now } = given;
  return {
    tenantId,
    target: rule.target,
    entityId: fact.entityId,
    driverId: fact.driverId,
    deviceId: fact.deviceId,
    pointId: fact.pointId,
    ruleId: rule.id,
    ruleStateId,
    type: 'RULE',
    source: rule.target === 'EVENT' ? 'EVENT_REPORT' : 'RULE',
    level: AlarmLevel[rule.content.severity],
    message: `${quoted(rule.name)}: ${explain(rule, fact)}`,
    ext: snapshot(given),
    condition: conditionOf(rule),
    now,
  };
}

/** The alarm event of a rule for its notifications; RECOVERED has the value that ended the alarm. */
export function alarmEventOf(given: Held, state: State, event: NoticeEvent): AlarmEvent {
  const { tenantId, rule, fact } = given;
  const { condition, eventType = '', labels = [], severity } = rule.content;
  const message = event === 'FIRED' ? explain(rule, fact) : `no longer: ${explainEnd(rule, fact)}`;
  return {
    tenantId,
    alarmId: state.alarmId,
    ruleStateId: state.id,
    ruleId: rule.id,
    ruleCode: rule.code,
    name: rule.name,
    level: severity,
    target: rule.target,
    entityId: fact.entityId,
    deviceId: fact.deviceId,
    pointId: fact.pointId,
    message: `${quoted(rule.name)}: ${message}`,
    occurTime: fact.at,
    facts: { ...fact.values, ...condition, values: fact.values, eventType, labels },
  };
}

/** A device's value is shown as a number or a quotation, so that it cannot pass for platform text. */
export function valueIn(field: string, { values }: Pick<Fact, 'values'>): string {
  const value = values[field] ?? null;
  return `${field} = ${value === null ? 'nothing' : amount(String(value), '', byName)}`;
}

function explainEnd({ content: { condition } }: ActiveRule, fact: Fact): string {
  return condition.operator === 'nodata' ? 'a value came' : valueIn(condition.field, fact);
}

function explain(rule: ActiveRule, fact: Fact): string {
  const { condition } = rule.content;
  if (condition.operator === 'nodata') return demandOf(rule.content);
  return `${valueIn(condition.field, fact)} (${demandOf(rule.content)})`;
}

/** The condition as text: `calValue > 80 °C for 10 s`. */
function conditionOf({ content }: ActiveRule): string {
  const { condition } = content;
  if (condition.operator === 'nodata') return demandOf(content);
  const unit = 'unit' in condition ? (condition.unit ?? '') : '';
  return `${condition.field} ${demandText(content, unit)}`;
}

/** What a value had to be, and for how long: `> 80 °C for 10 s`. */
export function demandText(content: Demand, unit: string): string {
  const { condition, window } = content;
  if (condition.operator === 'nodata') return demandOf(content);
  const held = window.duration === undefined ? '' : ` for ${durationWords(window.duration)}`;
  return `${demandOf(content, unit).trimEnd()}${held}`;
}

type Demand = Pick<RuleContent, 'condition' | 'window'>;

function demandOf({ condition, window }: Demand, unit = ''): string {
  if (condition.operator === 'nodata')
    return `no value for ${durationWords(window.duration ?? '')}`;
  const limit =
    'threshold' in condition
      ? amount(String(condition.threshold), unit, byName)
      : 'low' in condition
        ? `${condition.low} and ${amount(String(condition.high), unit, byName)}`
        : 'expected' in condition
          ? amount(condition.expected, '', byName)
          : '';
  return `${condition.operator} ${limit}`;
}
