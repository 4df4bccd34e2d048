import { amount, byName, quoted } from '../../kernel/sentence/voice.ts';
import { demandOf, demandText } from '../alarm/demand.ts';
import type { NewAlarm } from '../alarm/raise.ts';
import type { Fact } from '../condition/fact.ts';
import type { ActiveRule } from '../condition/fact.ts';
import { comparedWords, devicesWords, isQuantified, ofDevices } from '../kind/aggregate.ts';
import { AlarmLevel } from '../kind/alarm.ts';
import { isSet, namedIn } from '../kind/condition.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { modeWords, type Window } from '../kind/window.ts';
import type { AlarmEvent } from '../message/alarm-event.ts';
import type { State, Step } from './state-row.ts';

/** A fact and the rule under evaluation. */
type Held = Pick<Step, 'tenantId' | 'rule' | 'fact' | 'now'>;

/** The rule and the values of the fact at the time of firing. */
export const snapshot = ({ rule, fact }: Pick<Step, 'rule' | 'fact'>) => ({
  ruleId: rule.id,
  ruleCode: rule.code,
  ruleName: rule.name,
  severity: rule.content.severity,
  instruction: rule.content.instruction ?? '',
  eventType: rule.content.eventType ?? '',
  labels: rule.content.labels ?? [],
  condition: rule.content.condition,
  window: rule.content.window,
  recovery: rule.content.recovery,
  aggregate: rule.content.aggregate,
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
    ...(event === 'RECOVERED' && { endValues: fact.values }),
  };
}

/** A device's value is shown as a number or a quotation, so that it cannot pass for platform text. */
export function valueIn(
  field: string,
  { values }: Pick<Fact, 'values'>,
  window: Window = { mode: 'LAST' },
  name = field,
): string {
  const value = values[field] ?? null;
  return `${name}${modeWords(window)} = ${value === null ? 'nothing' : amount(String(value), '', byName)}`;
}

function explainEnd({ content }: ActiveRule, fact: Fact): string {
  const { condition, window, aggregate } = content;
  if (condition.operator === 'nodata') return 'a value came';
  if (aggregate) return `${allWords(content, fact)}, ${devicesWords(fact.values)}`;
  return isSet(condition)
    ? demandOf(content)
    : valueIn(condition.field, fact, window, namedIn(condition));
}

function explain(rule: ActiveRule, fact: Fact): string {
  const { condition, aggregate } = rule.content;
  if (condition.operator === 'nodata' || isSet(condition)) return demandOf(rule.content);
  if (aggregate) return `${allWords(rule.content, fact)}, ${devicesWords(fact.values)}`;
  return `${valueIn(condition.field, fact, rule.content.window, namedIn(condition))} (${demandOf(rule.content)})`;
}

/** What all devices of a rule come to: `value (mean of the devices) = 26 (> 25 °C)`; which of them have to match. */
function allWords(content: RuleContent, fact: Fact): string {
  if (isQuantified(content.aggregate)) return conditionOf({ content });
  const name = `value${ofDevices(content.aggregate)}`;
  return `${valueIn('value', fact, content.window, name)} (${demandOf(content)})`;
}

/** The condition as text: `calValue > 80 °C for 10 s`. */
function conditionOf({ content }: Pick<ActiveRule, 'content'>): string {
  const { condition } = content;
  if (condition.operator === 'nodata') return demandOf(content);
  if (isSet(condition)) return demandText(content, '');
  const unit = 'unit' in condition ? (condition.unit ?? '') : '';
  return `${comparedWords(content)} ${demandText(content, unit)}`;
}
