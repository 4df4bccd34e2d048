import { z } from 'zod';

import { type Names, namesIn } from '../../alarm/explain/rule-names.ts';
import { conditionWords, placeOf } from '../../alarm/explain/rule-report.ts';
import { ruleTerms } from '../../alarm/explain/rule-terms.ts';
import { AlarmTarget } from '../../alarm/kind/alarm.ts';
import { type RuleContent, RuleExt } from '../../alarm/kind/rule-ext.ts';
import { sensible } from '../../alarm/rule/rule.ts';
import type { Queries } from '../../db/connect.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Conflict } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import type { AlarmCard, Backtest } from '../action/kind/alarm-card.ts';

/** What a caller asks for of rules; a backtest is made before, on stored values. */
export type AddRuleAsk = {
  does: 'ADD_RULE';
  ruleName: string;
  /** One of these two; the other is empty. */
  pointId: string;
  deviceId: string;
  notifyId: string;
  content: RuleContent;
  backtest: Backtest | null;
};
export type ChangeRuleAsk = {
  does: 'CHANGE_RULE';
  ruleId: string;
  /** When the rule was changed last, ISO-8601. */
  basis: string;
  content: RuleContent;
  backtest: Backtest | null;
};

/** Everything that the rule would say, beside what it says now. */
export function viewOf(
  content: RuleContent,
  before: RuleContent | null,
  { unit, names }: { unit: string; names: Names },
) {
  return {
    condition: conditionWords(content, unit),
    level: content.severity,
    instruction: content.instruction ?? '',
    terms: ruleTerms(content, before, { unit, names }),
    // As it is stored with the card: without what is undefined.
    content: Stored.parse(JSON.parse(JSON.stringify(content))),
  };
}
const Stored = z.record(z.string(), z.unknown());

async function policyName(q: Queries, tenantId: string, notifyId: string): Promise<string> {
  if (notifyId === '0') return '';
  return (await rowOf(q, 'svc_notify', tenantId, notifyId)).notifyName;
}

const { POINT, DEVICE } = AlarmTarget;

async function valuesOf(q: Queries, tenantId: string, pointId: string) {
  const entity = await rowOf(q, 'svc_point', tenantId, pointId);
  return { target: POINT, entity, name: entity.pointName, unit: entity.unit };
}

async function stateOf(q: Queries, tenantId: string, deviceId: string) {
  const entity = await rowOf(q, 'svc_device', tenantId, deviceId);
  return { target: DEVICE, entity: {}, name: entity.deviceName, unit: '' };
}

export async function addedRule(
  q: Queries,
  tenantId: string,
  { does, ruleName, pointId, deviceId, notifyId, content, backtest }: AddRuleAsk,
): Promise<AlarmCard> {
  const [watched, taken, notifyName] = await Promise.all([
    pointId === '' ? stateOf(q, tenantId, deviceId) : valuesOf(q, tenantId, pointId),
    q
      .selectFrom('svc_rule')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('ruleName', '=', ruleName)
      .executeTakeFirst(),
    policyName(q, tenantId, notifyId),
  ]);
  if (taken) throw new Conflict(`There is a rule ${quoted(ruleName)} already (id ${taken.id})`);
  const { content: known } = await sensible(q, tenantId, { content }, watched);
  const { name: watches, unit } = watched;
  const names = await namesIn(q, tenantId, [known]);
  const shown = viewOf(known, null, { unit, names });
  return { does, ruleName, pointId, deviceId, watches, notifyId, notifyName, ...shown, backtest };
}

export async function changedRule(
  q: Queries,
  tenantId: string,
  { does, ruleId, basis, content, backtest }: ChangeRuleAsk,
): Promise<AlarmCard> {
  // No other change comes between the comparison and this one.
  await q
    .selectFrom('svc_rule')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '=', ruleId)
    .forUpdate()
    .execute();
  const row = await rowOf(q, 'svc_rule', tenantId, ruleId);
  if (row.operateTime.toISOString() !== basis)
    throw new Conflict('the rule was changed since it was proposed; propose the change anew');
  const target = nameOf(AlarmTarget, row.alarmTargetTypeFlag);
  const isOfPoint = target === 'POINT' && row.entityId !== '0';
  const [point, place, notifyName] = await Promise.all([
    isOfPoint ? rowOf(q, 'svc_point', tenantId, row.entityId) : null,
    placeOf(q, { tenantId, ruleId }),
    policyName(q, tenantId, row.notifyId),
  ]);
  const of = { target: row.alarmTargetTypeFlag, entity: point ?? {} };
  const { content: known } = await sensible(q, tenantId, { content }, of);
  const stored = RuleExt.parse(row.ruleExt).content;
  const names = await namesIn(q, tenantId, [known, stored]);
  return {
    does,
    ruleId,
    basis,
    ruleName: row.ruleName,
    pointId: point?.id ?? '',
    watches: place.name,
    notifyName,
    conditionBefore: conditionWords(stored, place.unit),
    levelBefore: stored.severity,
    instructionBefore: stored.instruction ?? '',
    ...viewOf(known, stored, { unit: place.unit, names }),
    backtest,
  };
}
