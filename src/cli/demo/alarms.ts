import { matches } from '../../alarm/condition/condition.ts';
import type { Fact } from '../../alarm/condition/fact.ts';
import { type ActiveRule } from '../../alarm/condition/fact.ts';
import { AlarmTarget, ConfirmFlag } from '../../alarm/kind/alarm.ts';
import { ChannelType } from '../../alarm/kind/delivery-status.ts';
import { durationMs } from '../../alarm/kind/duration.ts';
import { AutoConfirm } from '../../alarm/notify/policy.ts';
import { step } from '../../alarm/rule/evaluate.ts';
import { activeRule } from '../../alarm/rule/rule-cache.ts';
import { find } from '../../alarm/rule/state-row.ts';
import { addRow } from '../../kernel/entity/change.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import type { Series } from './history.ts';
import type { Making } from './rows.ts';
import { type PlantRule, plantRules } from './rules.ts';

/** Values after a change that are looked at one by one, so that a condition can hold for its duration. */
const LOOKED_AT = 4;

/**
 * Adds the rules with their policies, and evaluates them on the week as if its values came now: what they raise is
 * what they would have raised. Rules and states become visible together, so that no live value comes in between.
 */
export async function raiseAlarms(making: Making, week: readonly Series[]): Promise<void> {
  const { app, q, caller } = making;
  const shift = await addPolicy(
    making,
    'Tell the shift',
    'demo-tell-the-shift',
    AutoConfirm.MANUAL,
  );
  const quiet = await addPolicy(making, 'Note only', 'demo-note-only', AutoConfirm.AUTO);
  // Nothing leaves the platform before somebody gives the channel an address.
  const channelId = await addRow(q, app, caller, 'svc_notify_channel', {
    channelName: 'Shift webhook',
    channelCode: 'demo-shift-webhook',
    channelTypeFlag: ChannelType.WEBHOOK,
    enableFlag: EnableFlag.DISABLE,
    remark: 'Demo: give it an address and enable it',
  });
  await addRow(q, app, caller, 'svc_notify_channel_bind', { notifyId: shift, channelId });
  for (const rule of plantRules) {
    const series = week.find(
      ({ deviceName, pointName }) => deviceName === rule.deviceName && pointName === rule.pointName,
    );
    if (!series) throw new Error(`the plant has no ${rule.pointName} of ${rule.deviceName}`);
    const notifyId = rule.autoConfirm ? quiet : shift;
    const active = await addRule(making, rule, { pointId: series.pointId, notifyId });
    await evaluate(making, rule, active, series);
  }
}

const addPolicy = (
  { app, q, caller }: Making,
  notifyName: string,
  notifyCode: string,
  autoConfirmFlag: number,
): Promise<string> =>
  addRow(q, app, caller, 'svc_notify', {
    notifyName,
    notifyCode,
    autoConfirmFlag,
    notifyExt: JSON.stringify({ content: {} }),
    remark: 'Demo',
  });

async function addRule(
  { app, q, caller }: Making,
  { ruleName, ruleCode, content }: PlantRule,
  { pointId, notifyId }: { pointId: string; notifyId: string },
): Promise<ActiveRule> {
  const id = await addRow(q, app, caller, 'svc_rule', {
    ruleName,
    ruleCode,
    alarmTargetTypeFlag: AlarmTarget.POINT,
    entityId: pointId,
    notifyId,
    ruleExt: JSON.stringify({ content }),
    remark: 'Demo',
  });
  const active = activeRule(await rowOf(q, 'svc_rule', caller.tenantId, id));
  if (!active) throw new Error(`the rule ${ruleName} cannot be read`);
  return active;
}

async function evaluate(
  { q, caller }: Making,
  { confirmedAfter }: PlantRule,
  rule: ActiveRule,
  series: Series,
): Promise<void> {
  const { tenantId } = caller;
  const { facts, matching } = decisive(rule, series);
  for (const fact of facts) {
    const given = { q, tenantId, rule, fact, now: fact.at, consoleUrl: null, outdated: () => {} };
    await step(given, await find(given));
  }
  const alarm = await q
    .selectFrom('svc_entity_alarm')
    .select(['id', 'createTime'])
    .where('tenantId', '=', tenantId)
    .where('ruleId', '=', rule.id)
    .executeTakeFirstOrThrow();
  const fired = alarm.createTime.getTime();
  // The values that were passed over matched as well.
  const count = Math.max(1, matching.filter((at) => at >= fired).length);
  const confirmTime = confirmedAfter === undefined ? null : new Date(fired + confirmedAfter);
  await q
    .updateTable('svc_rule_state')
    .set({ triggerCount: String(count) })
    .where('tenantId', '=', tenantId)
    .where('ruleId', '=', rule.id)
    .execute();
  await q
    .updateTable('svc_entity_alarm')
    .set({
      triggerCount: String(count),
      ...(confirmTime && {
        confirmFlag: ConfirmFlag.CONFIRMED,
        confirmTime,
        confirmUserName: caller.name,
        operateTime: confirmTime,
      }),
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', alarm.id)
    .execute();
}

/** What a rule decides on: around each change, silences, and the last value; with the times of all that match. */
function decisive(
  rule: ActiveRule,
  { deviceId, pointId, driverId, samples }: Series,
): { facts: Fact[]; matching: number[] } {
  const { condition, window } = rule.content;
  const about = { entityId: pointId, deviceId, pointId, driverId };
  const silentMs =
    condition.operator === 'nodata' ? (durationMs(window.duration ?? '') ?? Infinity) : Infinity;
  const facts: Fact[] = [];
  const matching: number[] = [];
  let wasMatch = false;
  let left = LOOKED_AT;
  for (const [index, { at, value }] of samples.entries()) {
    const next = samples[index + 1];
    const isMatch = matches(condition, { value }) === true;
    if (isMatch) matching.push(at);
    if (isMatch !== wasMatch) left = LOOKED_AT;
    wasMatch = isMatch;
    const isBeforeSilence = next !== undefined && next.at - at > silentMs;
    if (left > 0 || isBeforeSilence || !next)
      facts.push({ ...about, values: { ...about, value, calValue: String(value) }, at });
    left -= 1;
    if (!isBeforeSilence) continue;
    facts.push({ ...about, values: about, at: at + silentMs, silentFor: rule.id });
    left = LOOKED_AT;
  }
  return { facts, matching };
}
