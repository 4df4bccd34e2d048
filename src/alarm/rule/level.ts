import { changeLevel } from '../alarm/raise.ts';
import { compares } from '../condition/condition.ts';
import type { Fact } from '../condition/fact.ts';
import type { ActiveRule } from '../condition/fact.ts';
import { AlarmLevel } from '../kind/alarm.ts';
import type { Attended } from '../ledger/attend.ts';
import { combined, notifyFired } from '../ledger/notify.ts';
import { alarmEventOf, alarmOf, snapshot } from './rule-alarm.ts';
import { move, type State, type Step } from './state-row.ts';

const isLevel = (level: unknown): level is keyof typeof AlarmLevel =>
  typeof level === 'string' && Object.hasOwn(AlarmLevel, level);

/** A rule with the severity and the limit of the most urgent of its levels that a fact reaches. */
export function atLevel(rule: ActiveRule, { values, pointType: type }: Fact): ActiveRule {
  const { content } = rule;
  const { condition, levels = [] } = content;
  if (!('threshold' in condition)) return rule;
  const { field, operator } = condition;
  const reached = levels.findLast(({ threshold }) =>
    compares(values, { field, type }, operator, threshold),
  );
  if (!reached) return rule;
  const { severity, threshold } = reached;
  return { ...rule, content: { ...content, severity, condition: { ...condition, threshold } } };
}

/** A rule with the severity that its alarm has now. */
export function asFiring(rule: ActiveRule, { entityStateExt: { severity } }: State): ActiveRule {
  return isLevel(severity) ? { ...rule, content: { ...rule.content, severity } } : rule;
}

/**
 * Gives a firing alarm the level of its value. A rise is sent to the channels that do not know of it, a fall to none;
 * the caller publishes the answer after the commit.
 */
export async function relevel(given: Step, state: State): Promise<Attended> {
  const rule = atLevel(given.rule, given.fact);
  const { severity } = rule.content;
  const before = asFiring(given.rule, state).content.severity;
  if (given.rule.content.levels === undefined || severity === before) return combined([]);
  const { q, tenantId, now } = given;
  const { alarmId } = state;
  const isRise = AlarmLevel[severity] < AlarmLevel[before];
  const at = { ...given, rule };
  const level = AlarmLevel[severity];
  const facts = snapshot(at);
  const { message, condition = '' } = alarmOf(at, state.id);
  const said = isRise ? { message, condition, ext: facts } : { ext: { severity } };
  await changeLevel(q, { tenantId, alarmId, level, now, ...said });
  await move(given, { ...state, entityStateExt: { ...state.entityStateExt, ...facts } }, {});
  if (!isRise) return combined([]);
  const { notifyId, messageId } = rule;
  return notifyFired(q, alarmEventOf(at, state, 'FIRED'), [{ notifyId, messageId }], given);
}
